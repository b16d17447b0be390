/* Reads one file batch by batch: first the labels in it, where it may have any, and then its calls. */
import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { formats, isRollup } from "./formats/Formats.ts"
import { type ReadContext, type RowContent, without } from "./formats/Read.ts"
import type { LabelTable } from "./labels/LabelTable.ts"
import type { PromptTable } from "./labels/PromptTable.ts"
import { cutterOf, type Layout, readRaw } from "./Layout.ts"
import { type LogFile, openLogFile } from "./LogFile.ts"
import type { LogBatch, LogError, LogItem, LogPosition } from "./LoggedCall.ts"
import type { Plan } from "./Plan.ts"
import type { CutterStart, RawRow } from "./rows/RawRow.ts"

/** A file that has rows. */
export type RowsPlan = Plan & { readonly layout: Layout }

/** What is known while all files are read. */
export interface Reading {
  readonly nowMs: number
  readonly labels: LabelTable
  readonly prompts: PromptTable
  /** How far each file is read, by its number. */
  readonly positions: Array<LogPosition>
  /** Bytes of the files and passes that are done, and of all. */
  bytesDone: number
  readonly bytesTotal: number
}

const contentSha256Of = (bytes: Uint8Array): string => {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length
  return createHash("sha256").update(bytes.subarray(0, end)).digest("hex")
}

/** What a row holds; null for the header of a table. */
const contentOf = (
  raw: RawRow,
  { container, format }: Layout,
  { labels, nowMs, prompts }: Reading
): RowContent | null => {
  if (container._tag === "Csv" && raw.endOffset <= container.headerEnd) return null
  if (raw.state === "tooLarge") return without("row_too_large")
  const row = readRaw(raw, container)
  if (row === null) return without(raw.state === "last" ? "truncated" : "unreadable_row")
  if (isRollup(row)) return without("rollup_row")
  const context: ReadContext = { labels, prompts, nowMs, contentSha256: () => contentSha256Of(raw.bytes) }
  return formats[format].read(row, context)
}

const itemsOf = ({ calls, leftOut }: RowContent, line: number): ReadonlyArray<LogItem> => [
  ...calls.map((call) => ({ _tag: "Call", call, line } as const)),
  ...leftOut.map(({ detail, reason }) => ({ _tag: "LeftOut", reason, line, detail } as const))
]

/** The rows that were cut from one piece of a file, the last of them with `isLast`. */
interface Piece {
  readonly rows: ReadonlyArray<RawRow>
  readonly file: LogFile
  readonly isLast: boolean
}

/** A file's rows from `start` on, each piece of which becomes a batch. */
const batchesOf = (
  { layout: { container, format }, number, path, sizeBytes }: RowsPlan,
  start: CutterStart,
  reading: Reading,
  itemsOfPiece: (piece: Piece) => ReadonlyArray<LogItem>
): Stream.Stream<LogBatch, LogError> =>
  Stream.unwrap(Effect.gen(function*() {
    const offset = container._tag === "Values" ? Math.max(start.offset, container.offset) : start.offset
    const file = yield* openLogFile(path, offset)
    const cutter = cutterOf(container, { offset, line: start.line })
    const batchOf = (rows: ReadonlyArray<RawRow>, isLast: boolean): LogBatch => {
      const items = itemsOfPiece({ rows, file, isLast })
      const bytesRead = reading.bytesDone + (isLast ? sizeBytes : Math.min(file.bytesRead(), sizeBytes))
      if (isLast) reading.bytesDone += sizeBytes
      const position = reading.positions[number] ?? { headBytes: 0, headSha256: "", ...start }
      return { path, format, items, position, bytesRead, bytesTotal: reading.bytesTotal }
    }
    const next = Effect.map(file.next, (bytes): readonly [LogBatch, boolean] =>
      bytes === null ? [batchOf(cutter.end(), true), true] : [batchOf(cutter.push(bytes), false), false])
    return Stream.unfold(false, (hasEnded) => hasEnded ? Effect.undefined : next)
  }))

/** Whether a row may hold a label or prompt: looking for a mark is far cheaper than parsing. */
const mayHaveAny = ({ bytes }: RawRow, marks: ReadonlyArray<string>): boolean => {
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return marks.some((mark) => row.includes(mark))
}

/**
 * First pass over a file that may have labels or prompts of other rows in it: they may stand after the calls
 * that they are about. Its batches have no items, and tell how far the file is read.
 */
export const readLabels = (plan: RowsPlan, reading: Reading): Stream.Stream<LogBatch, LogError> => {
  const { layout: { container, format }, number } = plan
  const { marks, readLabels, readPrompts } = formats[format]
  if (readLabels === null && readPrompts === null) return Stream.empty
  const take = (raw: RawRow): void => {
    if (container._tag !== "Csv" && !mayHaveAny(raw, marks)) return
    const row = readRaw(raw, container)
    if (row === null) return
    for (const label of readLabels?.(row) ?? []) reading.labels.add(label, number, raw.line)
    for (const prompt of readPrompts?.(row) ?? []) reading.prompts.add(prompt, number, raw.line)
  }
  return batchesOf(plan, { offset: 0, line: 0 }, reading, ({ rows }) => {
    rows.forEach(take)
    return []
  })
}

const isTruncated = (item: LogItem): boolean => item._tag === "LeftOut" && item.reason === "truncated"

/** Second pass: the calls of a file. */
export const readCalls = (plan: RowsPlan, reading: Reading): Stream.Stream<LogBatch, LogError> => {
  const { layout, number, start } = plan
  let line = start.line
  return batchesOf(plan, start, reading, ({ file, isLast, rows }) => {
    const items = rows.flatMap((raw) => {
      const content = contentOf(raw, layout, reading)
      return content === null ? [] : itemsOf(content, raw.line)
    })
    const last = rows.at(-1)
    line = last?.line ?? line
    const isCut = items.some(isTruncated)
    // What is cut off may be whole when the log has grown.
    if (last !== undefined && !isCut) reading.positions[number] = { ...start, offset: last.endOffset, line }
    const damage = isLast && !isCut ? file.damage() : null
    return damage === null
      ? items
      : [...items, { _tag: "LeftOut", reason: "truncated", line: line + 1, detail: damage }]
  })
}
