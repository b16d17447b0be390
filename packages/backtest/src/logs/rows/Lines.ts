/* Cuts a file into its lines: JSON Lines, where no row holds a line feed. */
import { type CutterStart, makeRowBuffer, type RawRow, type RowCutter } from "./RawRow.ts"

const lineFeed = 0x0a

const isBlank = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)

/** Lines that are not blank. */
export const makeLines = (start: CutterStart): RowCutter => {
  const buffer = makeRowBuffer()
  let { line, offset } = start
  /** The row that ends with these bytes; null for a blank one. */
  const rowOf = (last: Uint8Array, ended: number): RawRow | null => {
    line++
    const startOffset = offset
    offset += buffer.length() + last.length + ended
    const row = buffer.take(last)
    return row.state === "whole" && isBlank(row.bytes)
      ? null
      : { ...row, line, startOffset, endOffset: offset }
  }
  return {
    push: (bytes) => {
      const rows: Array<RawRow> = []
      let from = 0
      for (;;) {
        const at = bytes.indexOf(lineFeed, from)
        if (at < 0) break
        const row = rowOf(bytes.subarray(from, at), 1)
        if (row !== null) rows.push(row)
        from = at + 1
      }
      buffer.add(bytes.subarray(from))
      return rows
    },
    end: () => {
      const row = buffer.length() === 0 ? null : rowOf(new Uint8Array(0), 0)
      if (row === null) return []
      return [{ ...row, state: row.state === "whole" ? "last" : row.state }]
    }
  }
}
