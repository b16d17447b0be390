import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { csvFieldsOf, makeCsvRows } from "../../../../packages/backtest/src/logs/rows/CsvRows.ts"
import { makeJsonValues } from "../../../../packages/backtest/src/logs/rows/JsonValues.ts"
import { makeLines } from "../../../../packages/backtest/src/logs/rows/Lines.ts"
import type { CutterStart, RowCutter } from "../../../../packages/backtest/src/logs/rows/RawRow.ts"
import { fixture } from "./reading.ts"

const start: CutterStart = { offset: 0, line: 0 }

/** The rows of the bytes in these pieces, as texts with all that is said of them. */
const cut = (cutter: RowCutter, pieces: ReadonlyArray<Uint8Array>): ReadonlyArray<unknown> =>
  [...pieces.flatMap((piece) => cutter.push(piece).map(({ bytes, ...row }) => ({ ...row, text: String(Buffer.from(bytes)) }))),
    ...cutter.end().map(({ bytes, ...row }) => ({ ...row, text: String(Buffer.from(bytes)) }))]

const cases: ReadonlyArray<readonly [name: string, make: () => RowCutter, content: Uint8Array]> = [
  ["lines", () => makeLines(start), readFileSync(fixture("langfuse-scores.jsonl"))],
  ["lines without a last line feed", () => makeLines(start), Buffer.from("{\"é\":1}\r\n\n{\"b\":2}")],
  ["values", () => makeJsonValues(start), Buffer.from("{\"a\":\"]}\\\"\\\\\"} , [1,[2]]\n\"x, y\" 12,null ]} {\"no\":1}")],
  ["values on lines", () => makeJsonValues(start), readFileSync(fixture("helicone.json")).subarray(12)],
  ["a table", () => makeCsvRows(start, ","), readFileSync(fixture("own.csv"))],
  ["a table with marks", () => makeCsvRows(start, ","), Buffer.from("a,\"b\"\"\n\"\"\",c\r\n\r\nd,e\"f\",\"g\"h\n\"i")]
]

describe("the cutters", () => {
  for (const [name, make, content] of cases) {
    it(`yield the same rows of ${name} wherever the bytes are split`, () => {
      const whole = cut(make(), [content])
      assert.isAbove(whole.length, 1)
      for (let at = 0; at <= content.length; at++) {
        assert.deepStrictEqual(cut(make(), [content.subarray(0, at), content.subarray(at)]), whole)
      }
      assert.deepStrictEqual(cut(make(), Array.from(content, (byte) => Uint8Array.of(byte))), whole)
    })
  }

  it("know where each row begins and ends, so that cutting goes on there", () => {
    for (const [, make, content] of cases) {
      const rows = [...make().push(content)]
      for (const [i, { endOffset }] of rows.entries()) {
        const rest = make().push(content.subarray(endOffset))
        assert.deepStrictEqual(rest.map(({ bytes }) => bytes), rows.slice(i + 1).map(({ bytes }) => bytes))
      }
    }
  })

  it("of values yield texts, numbers and words as rows, and nothing after the end of the list", () => {
    const rows = cut(makeJsonValues(start), [cases[2]![2]])
    assert.deepStrictEqual(rows.map((row) => (row as { text: string }).text), [
      "{\"a\":\"]}\\\"\\\\\"}", "[1,[2]]", "\"x, y\"", "12", "null"
    ])
  })
})

/** RFC 4180, written plainly. */
const csvLine = (fields: ReadonlyArray<string>): string =>
  fields.map((field) => `"${field.replaceAll("\"", "\"\"")}"`).join(";")

describe("csvFieldsOf", () => {
  const Fields = Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(6))
  const Rows = Schema.Array(Fields).check(Schema.isMinLength(1), Schema.isMaxLength(5))

  it.prop("reads back what RFC 4180 writes, through the cutter", { rows: Rows }, ({ rows }) => {
    const wellFormed = rows.map((row) => row.map((field) => field.toWellFormed()))
    const bytes = Buffer.from(wellFormed.map(csvLine).join("\r\n"))
    const cutter = makeCsvRows(start, ";")
    const read = [...cutter.push(bytes), ...cutter.end()]
      .map((row) => csvFieldsOf(String(Buffer.from(row.bytes)), ";"))
    assert.deepStrictEqual(read, wellFormed)
  })

  it("keeps marks inside of plain fields, and refuses a field that does not end", () => {
    assert.deepStrictEqual(csvFieldsOf("5\" pipe,,\"a\"b,", ","), ["5\" pipe", "", "ab", ""])
    assert.strictEqual(csvFieldsOf("a,\"b", ","), null)
  })
})
