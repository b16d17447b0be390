/*
 * Cuts a file into the JSON values that it holds one after the other: the elements of a list, or objects that
 * were written over several lines.
 */
import { type CutterStart, makeRowBuffer, type RawRow, type RowCutter } from "./RawRow.ts"

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Whether a byte stands between values. */
const isBetween = (byte: number): boolean => byte <= 0x20 || byte === comma

/** Values from a place between two, up to the end of the list that they are in. What follows it is no row. */
export const makeJsonValues = (start: CutterStart): RowCutter => {
  const buffer = makeRowBuffer()
  let { line, offset } = start
  let startOffset = offset
  let state: "between" | "nested" | "scalar" | "ended" = "between"
  let depth = 0
  let isInText = false
  let isEscaped = false

  /** Where the nested value ends that goes on at `from`: after its last byte, or -1. */
  const endOfNested = (bytes: Uint8Array, from: number): number => {
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i]
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isInText = false
      } else if (byte === quote) isInText = true
      else if (byte === openBrace || byte === openBracket) depth++
      else if (byte === closeBrace || byte === closeBracket) {
        depth--
        if (depth === 0) return i + 1
      }
    }
    return -1
  }
  /** Where a text, number or word ends; a list's end belongs to the list. */
  const endOfScalar = (bytes: Uint8Array, from: number): number => {
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isInText = false
      } else if (byte === quote) isInText = true
      else if (isBetween(byte) || byte === closeBracket) return i
    }
    return -1
  }
  /** The first byte of a value from `from` on, or -1. */
  const begin = (bytes: Uint8Array, from: number): number => {
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0
      if (isBetween(byte)) continue
      if (byte === closeBracket) {
        state = "ended"
        return -1
      }
      state = byte === openBrace || byte === openBracket ? "nested" : "scalar"
      return i
    }
    return -1
  }
  const rowOf = (last: Uint8Array, endOffset: number): RawRow => {
    line++
    state = "between"
    return { ...buffer.take(last), line, startOffset, endOffset }
  }
  return {
    push: (bytes) => {
      const rows: Array<RawRow> = []
      let from = 0
      while (from < bytes.length && state !== "ended") {
        if (state === "between") {
          const at = begin(bytes, from)
          if (at < 0) break
          from = at
          startOffset = offset + at
        }
        const end = state === "nested" ? endOfNested(bytes, from) : endOfScalar(bytes, from)
        if (end < 0) {
          buffer.add(bytes.subarray(from))
          break
        }
        rows.push(rowOf(bytes.subarray(from, end), offset + end))
        from = end
      }
      offset += bytes.length
      return rows
    },
    end: () => {
      if (state === "between" || state === "ended") return []
      const row = rowOf(new Uint8Array(0), offset)
      return [{ ...row, state: row.state === "whole" ? "last" : row.state }]
    }
  }
}
