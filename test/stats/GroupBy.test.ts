import { assert, it } from "@effect/vitest"
import { groupBy } from "../../src/stats/GroupBy.ts"

it("groups keep the order of the values, and of the keys' first values", () => {
  const groups = groupBy([3, 1, 4, 1, 5, 9, 2, 6], (value) => value % 2 === 0 ? "even" : "odd")
  assert.deepStrictEqual([...groups], [["odd", [3, 1, 1, 5, 9]], ["even", [4, 2, 6]]])
  assert.strictEqual(groupBy([], String).size, 0)
})
