/* A row of a file as bytes, before its values are read, and how rows are cut. */

/** Largest row that is read, bytes: prompts with files in them reach some megabytes. Chosen. */
const rowBytesMax = 16 * 2 ** 20

export interface RawRow {
  /** `tooLarge`: more than {@link rowBytesMax}; `last`: the file ends with it, maybe within it. */
  readonly state: "whole" | "tooLarge" | "last"
  /** Empty for a row that is too large. Valid until the next bytes are cut. */
  readonly bytes: Uint8Array
  /** From 1, blank lines counted. */
  readonly line: number
  /** Bytes of the file before the row, and before the one that follows. */
  readonly startOffset: number
  readonly endOffset: number
}

/** Cuts the bytes of a file into rows, whatever the pieces in which the bytes come. */
export interface RowCutter {
  readonly push: (bytes: Uint8Array) => ReadonlyArray<RawRow>
  /** What is left at the end of the file. */
  readonly end: () => ReadonlyArray<RawRow>
}

/** Where a cutter begins: at a row, with so many bytes and rows before it. */
export interface CutterStart {
  readonly offset: number
  readonly line: number
}

/** A row that comes in pieces: they are joined once, when it is whole. */
interface RowBuffer {
  readonly add: (bytes: Uint8Array) => void
  /** Bytes of the row so far, those beyond the limit counted and not kept. */
  readonly length: () => number
  /** The row with its last piece; the buffer is empty afterwards. */
  readonly take: (last: Uint8Array) => Pick<RawRow, "bytes" | "state">
}

const none = new Uint8Array(0)

export const makeRowBuffer = (): RowBuffer => {
  let parts: Array<Uint8Array> = []
  let length = 0
  const add = (bytes: Uint8Array) => {
    length += bytes.length
    if (length > rowBytesMax) parts = []
    else if (bytes.length > 0) parts.push(bytes)
  }
  return {
    add,
    length: () => length,
    take: (last) => {
      if (length === 0 && last.length <= rowBytesMax) return { state: "whole", bytes: last }
      add(last)
      const row = length > rowBytesMax
        ? { state: "tooLarge", bytes: none } as const
        : { state: "whole", bytes: Buffer.concat(parts, length) } as const
      parts = []
      length = 0
      return row
    }
  }
}

/**
 * Cuts rows that are not blank.
 *
 * @param endOfRow where the row ends that goes on at `from`: at its line feed, or -1
 * @param isBlank whether a byte says nothing
 */
export const makeRows = (
  start: CutterStart,
  endOfRow: (bytes: Uint8Array, from: number) => number,
  isBlank: (byte: number) => boolean
): RowCutter => {
  const buffer = makeRowBuffer()
  let { line, offset } = start
  /** The row that ends with these bytes; null for a blank one. */
  const rowOf = (last: Uint8Array, ended: number): RawRow | null => {
    line++
    const startOffset = offset
    offset += buffer.length() + last.length + ended
    const row = buffer.take(last)
    return row.state === "whole" && row.bytes.every(isBlank)
      ? null
      : { ...row, line, startOffset, endOffset: offset }
  }
  return {
    push: (bytes) => {
      const rows: Array<RawRow> = []
      let from = 0
      for (;;) {
        const at = endOfRow(bytes, from)
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
