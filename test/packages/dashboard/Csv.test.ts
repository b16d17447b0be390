import { assert, describe, it } from "@effect/vitest"
import { type Cell, csvOf } from "../../../packages/dashboard/src/Csv.ts"

const lineOf = (...cells: ReadonlyArray<Cell>): string =>
  csvOf(cells.map((cell, index) => ({ name: `c${index}`, cell: () => cell })), [null]).split("\r\n").slice(1).join("|")

/** A reader of CSV as RFC 4180 has it. */
const parsed = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain ?? "" : quoted.replaceAll("\"\"", "\""))
    if (end === "\r\n") rows.push([])
    if (end === "") break
  }
  return rows.filter((row) => row.length > 1)
}

describe("CSV", () => {
  it("leaves numbers, losses among them, and truth values as they are, and null empty", () => {
    assert.strictEqual(lineOf(-0.5, 1e-7, true, null, 3), "-0.5,1e-7,true,,3|")
  })

  it("quotes every text, so that commas, quotes and line breaks stay in their cell", () => {
    const hostile = "a,\"b\"\r\nc;d\n"
    assert.strictEqual(lineOf("x"), "\"x\"|")
    const rows = parsed(csvOf([{ name: "one", cell: (row: string) => row }, { name: "two", cell: () => 2 }], [hostile, "plain"]))
    assert.deepStrictEqual(rows, [["one", "two"], [hostile, "2"], ["plain", "2"]])
  })

  it("makes no text a formula, also behind white space and with full-width signs", () => {
    const formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "  =1", "\t=1", "\r=1", "\n@x", "\u00a0=1", "\ufeff=1", "\uff1d1", "|cmd", "%0A"]
    for (const text of formulas) assert.include(lineOf(text), `"'${text.split("\r")[0]}`, JSON.stringify(text))
    for (const text of ["a=1", "gpt-5", "code:hard", "5-1", ""]) assert.strictEqual(lineOf(text), `"${text}"|`)
  })
})
