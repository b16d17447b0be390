import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { decodeRow, encodeRow, lengthAt, orderAt } from "../../../packages/backtest/src/LogRow.ts"
import { Difficulty, TaskType } from "../../../src/domain/Task.ts"
import { rowOf } from "./logs.ts"

describe("a row of a log", () => {
  const fields = {
    taskType: TaskType,
    difficulty: Difficulty,
    isInfraFailure: Schema.Boolean,
    tags: Schema.Array(Schema.String.check(Schema.isMaxLength(300))).check(Schema.isMaxLength(64)),
    costUsd: Schema.Finite,
    number: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))
  }

  it.prop("is read as it was written, behind whatever other row", fields, (over) => {
    const row = rowOf({ ...over, tags: over.tags.map((tag) => tag.toWellFormed()) })
    const [before, bytes] = [encodeRow(rowOf({ vector: null })), encodeRow(row)]
    const both = new Uint8Array(before.length + bytes.length)
    both.set(before)
    both.set(bytes, before.length)
    assert.deepStrictEqual(decodeRow(both, before.length), row)
    const view = new DataView(both.buffer)
    assert.strictEqual(lengthAt(view, before.length), bytes.length)
    assert.deepStrictEqual(orderAt(view, before.length), [row.atMs, row.number])
  })

  it("holds no text of its call", () => {
    const text = new TextDecoder().decode(encodeRow(rowOf({ tags: [] })))
    assert.notMatch(text, /[a-z]{4}/)
  })
})
