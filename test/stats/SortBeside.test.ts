import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { sortBeside } from "../../src/stats/SortBeside.ts"

it.prop("numbers are sorted as by a stable sort of pairs, and those behind them stay", {
  // Few different keys, so that many are equal; more than one run and one merge.
  keys: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -5, maximum: 5 }))).check(Schema.isMaxLength(300)),
  left: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
}, ({ keys, left }) => {
  const count = Math.max(0, keys.length - left)
  const [sorted, beside] = [Float64Array.from(keys), Float64Array.from(keys.keys())]
  sortBeside(sorted, beside, count)
  const expected = keys.slice(0, count).map((key, place) => ({ key, place })).sort((one, other) => one.key - other.key)
  assert.deepStrictEqual([...sorted], [...expected.map(({ key }) => key), ...keys.slice(count)])
  assert.deepStrictEqual([...beside], [...expected.map(({ place }) => place), ...[...keys.keys()].slice(count)])
})
