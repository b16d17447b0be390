/* Reads logs of any size as a stream: batch by batch, in the order of the files and of their rows. */
import { Clock, Effect, Stream } from "effect"
import type { RowContent } from "./formats/Read.ts"
import { readOwnRow } from "./formats/OwnFormat.ts"
import { isRow } from "./formats/Values.ts"
import { headSha256Of, type LogFile, openLogFile } from "./LogFile.ts"
import type { LogBatch, LogError, LogFormat, LogItem, LogPosition } from "./LoggedCall.ts"
import { makeLines } from "./rows/Lines.ts"
import type { CutterStart, RawRow } from "./rows/RawRow.ts"

export interface ReadOptions {
  /** `auto`: found by the first rows of each file. */
  readonly format: LogFormat | "auto"
  /** Where earlier readings ended. A file that none of them knows is read from its beginning. */
  readonly from?: ReadonlyArray<LogPosition>
}

const itemsOf = ({ calls, leftOut }: RowContent, line: number): ReadonlyArray<LogItem> => [
  ...calls.map((call) => ({ _tag: "Call", call, line } as const)),
  ...leftOut.map(({ detail, reason }) => ({ _tag: "LeftOut", reason, line, detail } as const))
]

const text = new TextDecoder()

const readRow = (raw: RawRow, nowMs: number): ReadonlyArray<LogItem> => {
  const { line } = raw
  if (raw.state === "tooLarge") return [{ _tag: "LeftOut", reason: "row_too_large", line, detail: null }]
  let row: unknown
  try {
    row = JSON.parse(text.decode(raw.bytes))
  } catch {
    const reason = raw.state === "last" ? "truncated" : "unreadable_row"
    return [{ _tag: "LeftOut", reason, line, detail: null }]
  }
  return isRow(row)
    ? itemsOf(readOwnRow(row, nowMs), line)
    : [{ _tag: "LeftOut", reason: "unreadable_row", line, detail: null }]
}

/** Where reading of this file begins: after what an earlier reading of it read. */
const startOf = (file: LogFile, from: ReadonlyArray<LogPosition>): CutterStart => {
  const known = from.filter(({ headBytes, headSha256 }) =>
    headBytes <= file.head.length && headSha256 === headSha256Of(file.head, headBytes))
  return known.reduce<CutterStart>((far, one) => one.offset > far.offset ? one : far, { offset: 0, line: 0 })
}

/** What is known of all files before one is read. */
interface Sizes {
  readonly bytesBefore: number
  readonly bytesTotal: number
}

const readFile = (path: string, { from = [] }: ReadOptions, { bytesBefore, bytesTotal }: Sizes) =>
  Stream.unwrap(Effect.gen(function*() {
    const nowMs = yield* Clock.currentTimeMillis
    const first = yield* openLogFile(path)
    const start = startOf(first, from)
    const file = start.offset === 0 ? first : yield* openLogFile(path, start.offset)
    const { head } = file
    const known = { headBytes: head.length, headSha256: headSha256Of(head, head.length) }
    const cutter = makeLines(start)
    let position: LogPosition = { ...known, offset: start.offset, line: start.line }
    const batchOf = (items: ReadonlyArray<LogItem>): LogBatch => ({
      path, format: "jsonl", items, position, bytesRead: bytesBefore + file.bytesRead(), bytesTotal
    })
    const read = (rows: ReadonlyArray<RawRow>): LogBatch => {
      const items = rows.flatMap((row) => readRow(row, nowMs))
      const last = rows.at(-1)
      if (last !== undefined) position = { ...known, offset: last.endOffset, line: last.line }
      return batchOf(items)
    }
    const readEnd = (): LogBatch => {
      const rows = cutter.end()
      const items = rows.flatMap((row) => readRow(row, nowMs))
      const isCut = items.some((item) => item._tag === "LeftOut" && item.reason === "truncated")
      const last = rows.at(-1)
      // What is cut off may be whole when the log has grown.
      if (last !== undefined && !isCut) position = { ...known, offset: last.endOffset, line: last.line }
      const detail = file.damage()
      if (isCut || detail === null) return batchOf(items)
      return batchOf([...items, { _tag: "LeftOut", reason: "truncated", line: position.line + 1, detail }])
    }
    const batch = Effect.map(file.next, (bytes): readonly [LogBatch, boolean] =>
      bytes === null ? [readEnd(), true] : [read(cutter.push(bytes)), false])
    return Stream.unfold(false, (hasEnded) =>
      hasEnded ? Effect.undefined : batch)
  }))

/** All rows of the files, which are opened one after the other. Fails at a file that cannot be read. */
export const readLogs = (
  paths: ReadonlyArray<string>,
  options: ReadOptions
): Stream.Stream<LogBatch, LogError> =>
  Stream.unwrap(Effect.gen(function*() {
    const sizes = yield* Effect.forEach(paths, (path) =>
      Effect.scoped(Effect.map(openLogFile(path), ({ sizeBytes }) => sizeBytes)))
    const bytesTotal = sizes.reduce((sum, size) => sum + size, 0)
    let bytesBefore = 0
    return Stream.fromIterable(paths.map((path, i) => {
      const known = { bytesBefore, bytesTotal }
      bytesBefore += sizes[i] ?? 0
      return readFile(path, options, known)
    })).pipe(Stream.flatMap((file) => file))
  }))
