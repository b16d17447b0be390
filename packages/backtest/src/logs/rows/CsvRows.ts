/* Cuts a CSV file into its rows and these into fields (RFC 4180): a quoted field may hold line feeds. */
import { type CutterStart, makeRows, type RowCutter } from "./RawRow.ts"

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d]

const isBlank = (byte: number): boolean => byte === carriageReturn || byte === 0x20

/** Rows that are not blank. A quotation mark begins a field only at the field's start. */
export const makeCsvRows = (start: CutterStart, delimiter: string): RowCutter => {
  const separator = delimiter.charCodeAt(0)
  let isQuoted = false
  let isAtStart = true
  /** Whether the last byte closed a field, so that another mark would be one within it. */
  let hasJustClosed = false
  const endOfRow = (bytes: Uint8Array, from: number): number => {
    let i = from
    while (i < bytes.length) {
      if (isQuoted) {
        const at = bytes.indexOf(quote, i)
        if (at < 0) return -1
        isQuoted = false
        hasJustClosed = true
        i = at + 1
        continue
      }
      const byte = bytes[i]
      if (byte === quote && (isAtStart || hasJustClosed)) {
        isQuoted = true
        isAtStart = false
      } else {
        isAtStart = byte === separator
        hasJustClosed = false
        if (byte === lineFeed) {
          isAtStart = true
          return i
        }
      }
      i++
    }
    return -1
  }
  return makeRows(start, endOfRow, isBlank)
}

/** The fields of a row without its line feed; null for one whose last quotation mark is missing. */
export const csvFieldsOf = (row: string, delimiter: string): ReadonlyArray<string> | null => {
  const text = row.endsWith("\r") ? row.slice(0, -1) : row
  const fields: Array<string> = []
  let from = 0
  for (;;) {
    if (text.charCodeAt(from) !== quote) {
      const end = text.indexOf(delimiter, from)
      fields.push(end < 0 ? text.slice(from) : text.slice(from, end))
      if (end < 0) return fields
      from = end + 1
      continue
    }
    let close = text.indexOf("\"", from + 1)
    let hasMarks = false
    while (close >= 0 && text.charCodeAt(close + 1) === quote) {
      hasMarks = true
      close = text.indexOf("\"", close + 2)
    }
    if (close < 0) return null
    const field = text.slice(from + 1, close)
    // What follows the closing mark up to the delimiter belongs to the field, as spreadsheets read it.
    const end = text.indexOf(delimiter, close + 1)
    const rest = end < 0 ? text.slice(close + 1) : text.slice(close + 1, end)
    fields.push((hasMarks ? field.replaceAll("\"\"", "\"") : field) + rest)
    if (end < 0) return fields
    from = end + 1
  }
}
