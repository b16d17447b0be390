import { assert, it } from "@effect/vitest"
import * as Rules from "../../src/stats/PolicyRules.ts"
import { logOf } from "./log.ts"

// Entries 0 to 3, 4 and 5, and none.
const log = logOf([
  { candidates: [[0, 0.6, 1, false], [1, 0.8, 2], [2, 0.95, 8], [3, 0.95, 8, false]] },
  { candidates: [[1, 0.5, 3, false], [4, 0.4, 3, false]] },
  { candidates: [], recommended: -1 }
])
const picks = (rule: Rules.PolicyRule) => [0, 1, 2].map((row) => rule(log, row))

it("a threshold policy picks the cheapest that reaches it, and the likeliest where none does", () => {
  assert.deepStrictEqual(picks(Rules.cheapestAt(0.55)), [0, 4, -1])
  assert.deepStrictEqual(picks(Rules.cheapestAt(0.8)), [1, 4, -1])
  assert.deepStrictEqual(picks(Rules.cheapestAt(0.99)), [2, 4, -1])
})

it("the cheapest eligible is the cheapest that had cleared every constraint when it was logged", () => {
  assert.deepStrictEqual(picks(Rules.cheapestEligible), [1, 4, -1])
})

it("always cheapest and always premium pick the ends of prices, among equals the likelier", () => {
  assert.deepStrictEqual(picks(Rules.alwaysCheapest), [0, 4, -1])
  assert.deepStrictEqual(picks(Rules.alwaysPremium), [2, 4, -1])
})

it("a single-model policy picks its model from a row on, and the likeliest where it is none", () => {
  assert.deepStrictEqual(picks(Rules.single(1, 0)), [1, 4, -1])
  assert.deepStrictEqual(picks(Rules.single(4, 0)), [2, 5, -1])
  assert.deepStrictEqual(picks(Rules.single(1, 1)), [-1, 4, -1])
})

// A success more costs 7 / 0.35 US dollars on the first row, and nothing buys one on the second.
it("what is worth most moves from the cheapest to the likeliest as a success is worth more", () => {
  assert.deepStrictEqual([3, 10, 100].map((usd) => picks(Rules.worthMost(usd))), [[0, 4, -1], [1, 4, -1], [2, 4, -1]])
  assert.deepStrictEqual(Rules.valuesAmong(log, [[0.1, 1], [0.9, 1], [0.9, 3]]), [20, 60])
})
