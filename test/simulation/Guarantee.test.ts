import { assert, describe, it } from "@effect/vitest"
import { guaranteeWorld, type GuaranteeWorldOptions, type WorldType } from "./guarantee.ts"

/** Eight worlds with fixed seeds, for a caller that reports all labels. */
const worldsOf = (type: WorldType, over: Partial<GuaranteeWorldOptions> = {}) =>
  Array.from({ length: 8 }, (_, seed) => guaranteeWorld({
    type, seed, tasks: 12_000, loss: 0.05, confidence: 0.95, trialShare: 0.2, noise: 0, reported: 1, caller: "honest",
    ...over
  }))

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, each) => sum + each, 0) / values.length

describe("a guarantee in simulated worlds", () => {
  it("is earned by good candidates in nearly every kind of task, and saves", () => {
    const all = worldsOf("good")
    assert.isAtLeast(all.flatMap(({ heldAfter }) => heldAfter).length, 20)
    assert.isBelow(mean(all.map(({ guaranteedUsd }) => guaranteedUsd)), 0.65)
  })

  for (const type of ["slightly worse than allowed", "much worse"] as const) {
    it(`holds no candidate that is ${type}, nor costs more success than it allows`, () => {
      const all = worldsOf(type)
      assert.deepStrictEqual(all.map(({ isFalselyHeld }) => isFalselyHeld), all.map(() => false))
      assert.deepStrictEqual(all.map(({ isTrulyBeyond }) => isTrulyBeyond), all.map(() => false))
      assert.deepStrictEqual(all.map(({ isLossExceeded }) => isLossExceeded), all.map(() => false))
    })
  }

  for (const caller of ["only successes", "ignores on hard tasks"] as const) {
    it(`holds no candidate beyond the loss for a caller who ${caller === "only successes" ? `reports ${caller}` : caller}`, () => {
      assert.isTrue(worldsOf("slightly worse than allowed", { caller }).every(({ isFalselyHeld }) => !isFalselyHeld))
    })
  }

  it("leaves a held candidate that turns, and keeps the mean loss within the promise meanwhile", () => {
    const all = worldsOf("drifting", { tasks: 18_000 })
    const left = all.flatMap(({ leftAfter }) => leftAfter)
    assert.isAtLeast(left.length, 5)
    assert.isAtLeast(left.filter(Number.isFinite).length, 0.8 * left.length)
    assert.isTrue(all.every(({ isLossExceeded }) => !isLossExceeded))
  })
})
