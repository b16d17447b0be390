import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { isDeeperThan, makeBodyRoom } from "../../src/http/Body.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

const depthOf = (value: unknown): number =>
  value !== null && typeof value === "object"
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

it.prop("a document is deeper than every limit below its depth and than none from it on", {
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

it("text that never closes its string is left to the parser", () => {
  assert.isFalse(isDeeperThan(bytesOf(`["[[[[`), 1))
  assert.isFalse(isDeeperThan(bytesOf(`["\\"[[[[`), 1))
})

it("room for bodies is what was asked for, is free again once given back, and lets any one body pass", () => {
  const room = makeBodyRoom(10)
  assert.deepStrictEqual([room.take(6), room.take(5), room.take(4), room.take(1)], [true, false, true, false])
  room.giveBack(6)
  assert.deepStrictEqual([room.take(7), room.take(6)], [false, true])
  room.giveBack(10)
  assert.deepStrictEqual([room.take(11), room.take(0), room.take(1)], [true, false, false])
})
