import { assert, describe, it } from "@effect/vitest"
import { type Load, makeAdmission, type Purpose, purposeOf } from "../../src/http/Admission.ts"
import { limitSettings } from "../../src/http/LimitSettings.ts"

const settings = { ...limitSettings, inFlightMax: 100, accountShare: 0.25, accountMin: 2, sharedOut: 20 }
const idle: Load = { heapShare: 0, loopShare: 0 }

const admission = (load: Load = idle) => {
  const gate = makeAdmission(() => load, settings)
  const enter = (account: string, purpose: Purpose, count: number) =>
    Array.from({ length: count }, () => gate.enter(account, purpose))
  return { ...gate, enter, entered: (account: string, purpose: Purpose, count: number) =>
    enter(account, purpose, count).filter((refusal) => refusal === null).length }
}

describe("admission", () => {
  it("knows what a request is for by its path", () => {
    assert.deepStrictEqual(
      ["/v1/recommend", "/v1/recommend/workflow?x", "/v1/feedback", "/v1/models", "/docs"].map(purposeOf),
      ["recommend", "recommend", "feedback", "read", "read"]
    )
    assert.deepStrictEqual(
      ["recall", "teach", "reinforce", "steps", "lessons", "strategies", "health"]
        .map((name) => purposeOf(`/memory/v1/${name}`)),
      ["recommend", "feedback", "feedback", "feedback", "feedback", "read", "read"]
    )
  })

  it("gives one account a quarter of all, and as much again for its feedback", () => {
    const gate = admission()
    assert.strictEqual(gate.entered("a", "recommend", 40), 25)
    assert.strictEqual(gate.enter("a", "read", 1)[0], "account")
    assert.strictEqual(gate.entered("a", "feedback", 40), 25)
    gate.leave("a", "recommend")
    assert.deepStrictEqual(gate.enter("a", "read", 2), [null, "account"])
  })

  it("turns reads away first, then recommendations, feedback last", () => {
    const gate = admission()
    for (const account of ["a", "b", "c"]) gate.enter(account, "recommend", 20)
    assert.deepStrictEqual(gate.enter("d", "read", 1), ["overload"])
    assert.strictEqual(gate.entered("d", "recommend", 25), 25)
    assert.deepStrictEqual(gate.enter("e", "recommend", 1), ["overload"])
    assert.strictEqual(gate.entered("e", "feedback", 25), 15)
    assert.deepStrictEqual(gate.enter("f", "feedback", 1), ["overload"])
    gate.leave("a", "recommend")
    assert.deepStrictEqual(gate.enter("f", "feedback", 1), [null])
  })

  it("shares a saturated service out among those who ask, and leaves it to one who asks alone", () => {
    const load = { heapShare: 0, loopShare: 1 }
    const gate = admission(load)
    assert.strictEqual(gate.entered("greedy", "recommend", 25), 25)
    assert.strictEqual(gate.entered("modest", "recommend", 5), 5)
    for (let i = 0; i < 16; i++) gate.leave("greedy", "recommend")
    assert.deepStrictEqual(gate.enter("greedy", "recommend", 2), [null, "account"])
    load.loopShare = 0.5
    assert.deepStrictEqual(gate.enter("greedy", "recommend", 1), [null])
  })

  it("keeps nothing of accounts that have left", () => {
    const gate = admission({ heapShare: 0, loopShare: 1 })
    for (let i = 0; i < 1_000; i++) {
      assert.deepStrictEqual(gate.enter(`account ${i}`, "recommend", 1), [null])
      gate.leave(`account ${i}`, "recommend")
    }
    assert.strictEqual(gate.entered("a", "recommend", 25), 25)
  })
})
