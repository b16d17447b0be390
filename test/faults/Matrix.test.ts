import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Reference, type Row, rows } from "./matrix.ts"

const tests = new URL("..", import.meta.url).pathname
const here = readdirSync(join(tests, "faults"))
  .filter((name) => name.endsWith(".test.ts") && name !== "Matrix.test.ts")
  .map((name) => readFileSync(join(tests, "faults", name), "utf8"))
  .join("\n")

/** The rows that a source has a test for, by the titles' beginnings. */
const rowsIn = (source: string): ReadonlySet<string> =>
  new Set([...source.matchAll(/\(\s*["`](F\d\d) /g)].map(([, row]) => row ?? ""))

const hasTitle = ({ file, title }: Reference, read: (path: string) => string): boolean => {
  const source = read(join(tests, file))
  return [`"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted))
}

/** What is wrong with the table, given what is tested here and what other files hold. */
const problemsOf = (
  table: ReadonlyArray<Row>,
  source: string,
  read: (path: string) => string
): ReadonlyArray<string> => {
  const found = rowsIn(source)
  const numbers = Array.from({ length: 60 }, (_, i) => `F${String(i + 1).padStart(2, "0")}`)
  return [
    ...numbers.filter((number) => table.filter(({ row }) => row === number).length !== 1)
      .map((number) => `${number} stands in the table not once`),
    ...[...found].filter((row) => !table.some((each) => each.row === row && each.tested === "here"))
      .map((row) => `${row} has a test here, and the table does not say so`),
    ...table.flatMap(({ also = [], open = "", row, tested }) => {
      const references = [...(tested === "here" ? [] : tested), ...also]
      return [
        ...(tested === "here" && !found.has(row) ? [`${row} has no test here`] : []),
        ...(tested !== "here" && references.length === 0 && open === "" ? [`${row} has neither a test nor a reason`] : []),
        ...references.filter((reference) => !hasTitle(reference, read)).map(({ file, title }) => `${row}: no "${title}" in ${file}`)
      ]
    })
  ]
}

describe("the table of faults", () => {
  it("has every row from F01 to F60 once, each with a test that exists or a reason", () => {
    assert.deepStrictEqual(problemsOf(rows, here, (path) => readFileSync(path, "utf8")), [])
  })

  it("is rejected when a row or a test is missing, a title does not exist, or a reason is empty", () => {
    const said = (table: ReadonlyArray<Row>, source = here) => problemsOf(table, source, () => "").join("\n")
    assert.include(said(rows.slice(1)), "F01 stands in the table not once")
    assert.include(said(rows, "it(\"F02 x\""), "F01 has no test here")
    assert.include(said(rows), "F19: no \"warns where a reasoner would be asked\" in process/Reasoner.test.ts")
    const silent = rows.map(({ open: _open, ...row }): Row => row)
    assert.include(said(silent), "F47 has neither a test nor a reason")
    assert.include(said(rows, `${here}\nit("F19 x"`), "F19 has a test here, and the table does not say so")
  })
})
