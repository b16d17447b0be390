import { assert, describe, it } from "@effect/vitest"
import { figuresOf } from "./budget/figures.ts"
import { type World, worlds } from "./budget/world.ts"

/* A part of the table of docs/running/measurements.md, with fixed seeds. */

const named = (start: string): World => {
  const world = worlds.find(({ name }) => name.startsWith(start))
  assert.isDefined(world)
  return world
}

describe("a day's spending under a budget, simulated,", () => {
  for (const [world, share] of [
    ["quiet nights", 0.4], ["bursts", 0.15], ["growth", 0.4], ["all prices triple at noon, estimates do not", 0.4],
    ["reports 6 hours late", 0.4], ["two processes", 0.15], ["few requests", 0.4], ["a young account", 0.4]
  ] as const) {
    it(`is at most 5 % over ${share} of what is spent without pacing: ${world}`, () => {
      const { least, spent, spentMost } = figuresOf(named(world), share, 1)
      assert.isBelow(least, 0.5)
      assert.isAtMost(spentMost, 1.05)
      assert.isAtLeast(spent, 0.8)
    })
  }

  it("is what it is without pacing where the budget has enough, with the same success", () => {
    const { spent, success, unpaced } = figuresOf(named("quiet nights"), 2, 1)
    assert.isAtMost(spent, 0.6)
    assert.closeTo(success, unpaced, 0.005)
  })

  it("has within 3 points the success of the threshold that an oracle of the day would set", () => {
    const { oracle, success } = figuresOf(named("quiet nights"), 0.4, 1)
    assert.isAtLeast(success, oracle - 0.03)
  })

  it("is what min_quality costs at least where the budget is below that", () => {
    const { least, overMost, spentMost } = figuresOf(named("min_quality"), 0.15, 1)
    assert.isAbove(least, 2)
    assert.isAbove(spentMost, 2)
    assert.isAtMost(overMost, 1.05)
  })
})
