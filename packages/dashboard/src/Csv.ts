/* Writes tables as CSV for spreadsheets. */

/** A cell: a number or a truth value is written as it is, a text is quoted and guarded, null is empty. */
export type Cell = string | number | boolean | null

/**
 * What a spreadsheet reads as the beginning of a formula, also behind white space and as a full-width sign.
 * Tab and carriage return begin one in some.
 *
 * @see OWASP, CSV Injection
 */
const formula = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20|%]|^[\t\r\n]/

const cellOf = (cell: Cell): string => {
  if (cell === null) return ""
  if (typeof cell !== "string") return String(cell)
  // The apostrophe makes a spreadsheet take the cell as text; texts come from callers, who name models.
  const guarded = formula.test(cell) ? `'${cell}` : cell
  return `"${guarded.replaceAll("\"", "\"\"")}"`
}

interface CsvColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => Cell
}

/** Rows with a header as CSV: lines end with CR and LF, every text is quoted, and no text is a formula. */
export const csvOf = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: ReadonlyArray<Row>): string =>
  [
    columns.map(({ name }) => cellOf(name)),
    ...rows.map((row) => columns.map(({ cell }) => cellOf(cell(row))))
  ].map((line) => `${line.join(",")}\r\n`).join("")
