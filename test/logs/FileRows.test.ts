import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { readFileSync } from "node:fs"
import { type Container, LeftOutRow, rowsOf } from "../../src/logs/FileRows.ts"
import { fixture } from "./reading.ts"

/** The rows of the bytes in these pieces, and the reasons of those that cannot be read. */
const cut = (container: Container, pieces: ReadonlyArray<Uint8Array>) =>
  Effect.map(Stream.runCollect(rowsOf("log", container, Stream.fromIterable(pieces))), (rows) =>
    rows.map((row) => row instanceof LeftOutRow ? row.leftOut.reason : row))

const table: Container = { _tag: "Table", delimiter: "," }
const lines: Container = { _tag: "Lines" }

const cases: ReadonlyArray<readonly [name: string, container: Container, content: Uint8Array]> = [
  ["lines", lines, readFileSync(fixture("langfuse-scores.jsonl"))],
  ["lines without a last line feed", lines, Buffer.from("\ufeff{\"é\":1}\r\n\n{\"b\":2}")],
  ["a list", { _tag: "List", pointer: "" }, Buffer.from("[{\"a\":\"]}\\\"\\\\\"} , [1,[2]],\n\"x, y\", 12,null, {} ]")],
  ["a list in an answer", { _tag: "List", pointer: "/data" }, readFileSync(fixture("helicone.json"))],
  ["one object", { _tag: "Single" }, Buffer.from("{\n  \"é\": [1, {}]\n}\n")],
  ["a table", table, readFileSync(fixture("own.csv"))],
  ["a table with marks", table, Buffer.from("a,\"b\"\"\n\"\"\",c\r\n\r\nd,\"e\",é\n1,2\n,,\n1,2,\"i")]
]

describe("the rows of a file", () => {
  for (const [name, container, content] of cases) {
    it.live(`are the same of ${name} wherever the bytes are split`, () =>
      Effect.gen(function*() {
        const whole = yield* cut(container, [content])
        assert.isAbove(whole.length, 0)
        for (let at = 0; at <= content.length; at += content.length > 500 ? 37 : 1) {
          assert.deepStrictEqual(yield* cut(container, [content.subarray(0, at), content.subarray(at)]), whole)
        }
        assert.deepStrictEqual(yield* cut(container, Array.from(content, (byte) => Uint8Array.of(byte))), whole)
      }))
  }

  it.live("are the objects of a list, and nothing else in it", () =>
    Effect.map(cut(cases[2]![1], [cases[2]![2]]), (rows) =>
      assert.deepStrictEqual(rows, [
        { a: "]}\"\\" }, "unreadable_row", "unreadable_row", "unreadable_row", "unreadable_row", {}
      ])))

  it.live("of a cut-off list or table are those before; any other fault is said with its place", () =>
    Effect.gen(function*() {
      const list: Container = { _tag: "List", pointer: "" }
      assert.deepStrictEqual(yield* cut(list, [Buffer.from("[{\"a\":1},{\"b\"")]), [{ a: 1 }, "truncated"])
      assert.deepStrictEqual(yield* cut(table, [Buffer.from("a\n1\n\"2")]), [{ a: "1" }, "truncated"])
      const messageOf = (container: Container, content: string) =>
        Effect.map(Effect.flip(cut(container, [Buffer.from(content)])), ({ message }) => message)
      assert.match(yield* messageOf(list, "[{\"a\":1} {\"b\":2}]"), /^log: it is not well formed at character 9: /)
      assert.match(yield* messageOf(table, "a,b\n1,2\n5\" pipe,2\n"), /^log: it is not well formed in line 3: /)
    }))
})

/** RFC 4180, written plainly. */
const csvLine = (fields: ReadonlyArray<string>): string =>
  fields.map((field) => `"${field.replaceAll("\"", "\"\"")}"`).join(";")

describe("a table", () => {
  const Cells = Schema.Array(Schema.String).check(Schema.isMinLength(2), Schema.isMaxLength(2))
  const Rows = Schema.Array(Cells).check(Schema.isMinLength(1), Schema.isMaxLength(5))

  it.effect.prop("is read back as RFC 4180 writes it", { rows: Rows }, ({ rows }) =>
    Effect.gen(function*() {
      const wellFormed = rows.map((row) => row.map((field) => field.toWellFormed()))
      const bytes = Buffer.from([["a", "b"], ...wellFormed].map(csvLine).join("\r\n"))
      const read = yield* cut({ _tag: "Table", delimiter: ";" }, [bytes])
      assert.deepStrictEqual(read, wellFormed.map(([a, b]) => ({ a, b })))
    }))
})
