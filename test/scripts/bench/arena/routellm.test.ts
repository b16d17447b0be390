import { assert, describe, it } from "@effect/vitest"
import { averageGapRecovered, callsForTarget, gapRecovered } from "../../../../scripts/bench/arena/routellm.ts"

const call = (predictedGain: number, strong: number, weak: number) => ({ predictedGain, strong, weak })

describe("RouteLLM's figures", () => {
  // The strong model wins two calls of four; the ranking puts one of them first and one third.
  const recovered = gapRecovered([call(0.9, 1, 0), call(0.5, 1, 1), call(0.4, 1, 0), call(0.1, 0, 0)]) ?? []

  it("the gap is recovered call by call, in the order of the predicted gain", () => {
    assert.deepStrictEqual(recovered, [0, 0.5, 0.5, 1, 1])
  })

  it("APGR is the area under it, and CPT the share of calls that reaches a target", () => {
    assert.closeTo(averageGapRecovered(recovered), (0.25 + 0.5 + 0.75 + 1) / 4, 1e-12)
    assert.strictEqual(callsForTarget(recovered, 0.5), 0.25)
    assert.strictEqual(callsForTarget(recovered, 0.8), 0.75)
  })

  it("a ranking that says nothing recovers half of the gap on a steady gain", () => {
    const steady = gapRecovered([1, 2, 3, 4].map(() => call(0, 1, 0))) ?? []
    assert.closeTo(averageGapRecovered(steady), 0.5, 1e-12)
  })

  it("models that are alike leave nothing to recover", () => {
    assert.isNull(gapRecovered([call(1, 1, 1), call(0, 0, 0)]))
  })
})
