import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { exceededLimit } from "../../../src/domain/text/JsonLimits.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

const depthOf = (value: unknown): number =>
  value !== null && typeof value === "object"
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

const isDeeperThan = (bytes: Uint8Array, depth: number) => exceededLimit(bytes, { depth, values: Infinity }) === "depth"
const holdsMoreThan = (bytes: Uint8Array, values: number) =>
  exceededLimit(bytes, { depth: Infinity, values }) === "values"

const countOf = (value: unknown): number =>
  value !== null && typeof value === "object"
    ? 1 + Object.values(value).reduce((sum: number, inner) => sum + countOf(inner), 0)
    : 1

it.prop("a document exceeds every limit of values below its count, and no other", {
  value: Schema.Json,
  isSpaced: Schema.Boolean
}, ({ isSpaced, value }) => {
  const bytes = bytesOf(isSpaced ? ` ${JSON.stringify(value, null, "\t")}\n` : JSON.stringify(value))
  const count = countOf(value)
  assert.isFalse(holdsMoreThan(bytes, count))
  assert.isTrue(holdsMoreThan(bytes, count - 1))
})

it("empty arrays and objects are one value each, and commas inside strings are none", () => {
  assert.isFalse(holdsMoreThan(bytesOf(`[[], {}, [ ], { }, ",,,", {"a,b": 1}]`), 8))
  assert.isTrue(holdsMoreThan(bytesOf(`[[], {}, [ ], { }, ",,,", {"a,b": 1}]`), 7))
})

it.prop("a document exceeds every limit of depth below its own, and no other", {
  value: Schema.Json
}, ({ value }) => {
  const bytes = bytesOf(JSON.stringify(value))
  const depth = depthOf(value)
  assert.isFalse(isDeeperThan(bytes, depth))
  if (depth > 0) assert.isTrue(isDeeperThan(bytes, depth - 1))
})

it.prop("brackets and quotes inside a string add no depth", { text: Schema.String }, ({ text }) => {
  const hard = `[[{{"\\${text}\\\\"[`
  assert.isFalse(isDeeperThan(bytesOf(JSON.stringify([hard])), 1))
})

it("text with an unclosed string is left to the parser", () => {
  assert.isFalse(isDeeperThan(bytesOf(`["[[[[`), 1))
  assert.isFalse(isDeeperThan(bytesOf(`["\\"[[[[`), 1))
})
