import { assert, it } from "@effect/vitest"
import { dice, overlapOf } from "../../src/stats/Overlap.ts"

it("two sets of two and three with one element in common have 0.4", () => {
  assert.strictEqual(overlapOf(new Set("ab"), new Set("bcd")), 1)
  assert.strictEqual(dice(new Set("ab"), new Set("bcd")), 0.4)
})

it("equal sets have 1, disjoint and empty ones 0", () => {
  assert.strictEqual(dice(new Set("abc"), new Set("cba")), 1)
  assert.strictEqual(dice(new Set("ab"), new Set("cd")), 0)
  assert.strictEqual(dice(new Set(), new Set()), 0)
})
