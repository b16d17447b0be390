/* Writes tables as CSV for spreadsheets. */

export type Cell = string | number | boolean | null

/**
 * Matches texts that a spreadsheet may read as a formula.
 * @see OWASP, CSV Injection
 */
const formula = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20|%]|^[\t\r\n]/

const cellOf = (cell: Cell): string => {
  if (cell === null) return ""
  if (typeof cell !== "string") return String(cell)
  // Callers choose the texts, so an apostrophe makes a spreadsheet read a formula as text.
  const guarded = formula.test(cell) ? `'${cell}` : cell
  return `"${guarded.replaceAll("\"", "\"\"")}"`
}

interface CsvColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => Cell
}

/** A header and rows as CSV: lines end with CR and LF, texts are quoted, and none is read as a formula. */
export const csvOf = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: ReadonlyArray<Row>): string =>
  [
    columns.map(({ name }) => cellOf(name)),
    ...rows.map((row) => columns.map(({ cell }) => cellOf(cell(row))))
  ].map((line) => `${line.join(",")}\r\n`).join("")
