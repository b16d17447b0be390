import { assert, describe, it } from "@effect/vitest"
import type { Round } from "../../src/stats/VerdictsNeeded.ts"
import { verdictWorld } from "./verdicts.ts"

/** Verdicts that the ledger holds of each model: none, some, and uneven; where one is tried, few of it. */
const ledgers = (round: Round) =>
  round === "second" ? [[60, 5], [100, 0], [200, 0], [200, 10]] as const : [[0, 0], [10, 10], [30, 30], [60, 10]] as const

/** Worlds with fixed seeds whose models are not told apart yet. */
const worldsOf = (round: Round) =>
  ledgers(round).flatMap((counts) =>
    Array.from({ length: 60 }, (_, seed) => verdictWorld({ round, counts, spread: 0.65, seed: seed + 1 })))
    .filter((world) => world !== null)

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, each) => sum + each, 0) / values.length
const median = (values: ReadonlyArray<number>) => values.toSorted((one, other) => one - other)[values.length >> 1]!

describe("the named number of verdicts, in simulated worlds", () => {
  const ways = {
    separate: "of tasks of their own", paired: "where both run each task", second: "where one is tried beside a known one"
  }
  for (const round of ["separate", "paired", "second"] as const) {
    const worlds = worldsOf(round)
    const how = ways[round]

    it(`suffices in four of five, ${how}`, () => {
      assert.isAbove(worlds.length, 150)
      assert.isAtLeast(mean(worlds.map(({ named, took }) => took.filter((each) => each <= named).length / took.length)), 0.8)
    })

    it(`is in the median at most twice what suffices in four of five futures of the world, ${how}`, () => {
      assert.isAtMost(median(worlds.map(({ named, took }) => named / took[Math.ceil(0.8 * took.length) - 1]!)), 2)
    })

    it(`calls the worse model better beyond the tolerance about once in twenty at most, ${how}`, () => {
      assert.isAtMost(mean(worlds.map(({ wrong }) => wrong)), 0.06)
    })
  }
})
