/* Reads logs of any size as a stream of batches, in the order of the files and of their rows. */
import { Clock, Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { type FileRow, LeftOutRow, rowsOf } from "./FileRows.ts"
import { formats } from "./formats/Formats.ts"
import type { ReadContext, RowContent } from "./formats/Read.ts"
import type { Row } from "./formats/Values.ts"
import { makeLabelTable } from "./labels/LabelTable.ts"
import { makeNestingTable } from "./labels/NestingTable.ts"
import { makePromptTable } from "./labels/PromptTable.ts"
import { type Layout, layoutOf } from "./Layout.ts"
import { bytesOf, findLogFile, type LogFile } from "./LogFile.ts"
import type { LogBatch, LogError, LogFormat, LogItem } from "./LoggedCall.ts"

export interface ReadOptions {
  /** If the format is `auto`, the first rows of each file decide it. */
  readonly format: LogFormat | "auto"
  /** Names of the scores that are used as labels; by default, these are all scores about quality. */
  readonly labelNames?: ReadonlyArray<string>
}

interface RowsFile {
  readonly file: LogFile
  readonly layout: Layout
}

const itemsOf = ({ calls, leftOut }: RowContent): ReadonlyArray<LogItem> => [
  ...calls.map((call) => ({ _tag: "Call", call } as const)),
  ...leftOut.map((each) => ({ _tag: "LeftOut", ...each } as const))
]

const contentSha256Of = (row: Row): string => createHash("sha256").update(JSON.stringify(row)).digest("hex")

const contentOf = (
  row: FileRow,
  format: LogFormat,
  context: Omit<ReadContext, "contentSha256">
): RowContent => {
  if (row instanceof LeftOutRow) return { calls: [], leftOut: [row.leftOut] }
  return formats[format].read(row, { ...context, contentSha256: () => contentSha256Of(row) })
}

/**
 * Streams the files' calls. A first pass collects the labels, prompts and spans that are not in the rows
 * of their calls. Fails before the first row if a file cannot be read or its format is ambiguous or unknown.
 */
export const readLogs = (
  paths: ReadonlyArray<string>,
  { format: asked, labelNames }: ReadOptions
): Stream.Stream<LogBatch, LogError> =>
  Stream.unwrap(Effect.gen(function*() {
    const files: Array<RowsFile> = []
    for (const path of paths) {
      const file = yield* findLogFile(path)
      const layout = yield* layoutOf(file, asked)
      if (layout !== null) files.push({ file, layout })
    }
    const withLabels = files.filter(({ layout: { format } }) => formats[format].parts !== undefined)
    const withCalls = files.filter(({ layout }) => !layout.isOfLabels)
    const bytesTotal = [...withLabels, ...withCalls].reduce((sum, { file }) => sum + file.sizeBytes, 0)
    const labels = makeLabelTable(labelNames ?? null)
    const [prompts, nesting] = [makePromptTable(), makeNestingTable()]
    const context = { labels, prompts, nesting, nowMs: yield* Clock.currentTimeMillis }
    let bytesDone = 0

    const batchesOf = (
      { file, layout: { container, format } }: RowsFile,
      itemsOfRows: (rows: ReadonlyArray<FileRow>) => ReadonlyArray<LogItem>
    ): Stream.Stream<LogBatch, LogError> =>
      Stream.suspend(() => {
        const { bytes, bytesRead, damage } = bytesOf(file)
        let isCut = false
        const rows = rowsOf(file.path, container, bytes).pipe(Stream.mapArray((rows) => {
          const items = itemsOfRows(rows)
          isCut ||= items.some((item) => item._tag === "LeftOut" && item.reason === "truncated")
          const bytes = bytesDone + Math.min(bytesRead(), file.sizeBytes)
          return [{ format, items, bytesTotal, bytesRead: bytes }] as const
        }))
        const end = Stream.suspend(() => {
          bytesDone += file.sizeBytes
          const why = isCut ? null : damage()
          const items: ReadonlyArray<LogItem> = why === null
            ? []
            : [{ _tag: "LeftOut", reason: "truncated", detail: why }]
          return Stream.make({ format, items, bytesTotal, bytesRead: bytesDone })
        })
        return Stream.concat(rows, end)
      })

    const takeParts = (file: RowsFile): Stream.Stream<LogBatch, LogError> => {
      const { parts } = formats[file.layout.format]
      return Stream.map(batchesOf(file, (rows) => {
        for (const row of rows) {
          if (row instanceof LeftOutRow) continue
          parts?.readLabels(row).forEach(labels.add)
          parts?.readPrompts?.(row).forEach(prompts.add)
          nesting.add(parts?.readNesting?.(row) ?? [])
        }
        return []
      }), (batch) => ({ ...batch, items: [] }))
    }

    const unused = Stream.sync((): LogBatch => {
      const items = itemsOf({ calls: [], leftOut: [...labels.unused(), ...prompts.unused()] })
      return { format: files[0]?.layout.format ?? "jsonl", items, bytesRead: bytesTotal, bytesTotal }
    })
    return Stream.fromIterable([
      ...withLabels.map(takeParts),
      ...withCalls.map((file) =>
        batchesOf(file, (rows) =>
          rows.flatMap((row) => itemsOf(contentOf(row, file.layout.format, context))))),
      unused
    ]).pipe(Stream.flatMap((batches) => batches))
  }))
