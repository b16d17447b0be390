/* Cuts a file into its lines: JSON Lines, where no row holds a line feed. */
import { type CutterStart, makeRows, type RowCutter } from "./RawRow.ts"

const lineFeed = 0x0a

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d

/** Lines that are not blank. */
export const makeLines = (start: CutterStart): RowCutter =>
  makeRows(start, (bytes, from) => bytes.indexOf(lineFeed, from), isBlank)
