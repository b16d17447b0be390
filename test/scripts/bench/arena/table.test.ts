import { assert, describe, it } from "@effect/vitest"
import { aligned, fixed, numbersIn, withError } from "../../../../scripts/bench/arena/table.ts"

describe("the arena's tables", () => {
  it("columns are as wide as their widest cell, names to the left and figures to the right", () => {
    assert.strictEqual(aligned([["set", "AIQ"], ["b", "0.9"], ["mixed", "0.8123"]]), [
      "set       AIQ",
      "b         0.9",
      "mixed  0.8123"
    ].join("\n"))
  })

  it("an unknown figure is a dash", () => {
    assert.deepStrictEqual([fixed(null, 2), fixed(Number.NaN, 2), fixed(1 / 3, 2)], ["-", "-", "0.33"])
    assert.strictEqual(withError({ mean: 0.5, error: 0.25 }, 2), "0.50+-0.25")
  })

  it("lists of numbers may hold ranges, and nothing that is no number", () => {
    assert.deepStrictEqual(numbersIn("1-3,7"), [1, 2, 3, 7])
    assert.deepStrictEqual(numbersIn("0,2.5"), [0, 2.5])
    assert.throws(() => numbersIn("1,,2"), /Not a number/)
  })
})
