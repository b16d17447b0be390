/* Recognises the form of a file and the program that wrote it, by its first rows. */
import { Effect, Stream } from "effect"
import { type Container, LeftOutRow, parseRow, rowsOf } from "./FileRows.ts"
import { formats } from "./formats/Formats.ts"
import { isScoreRow } from "./formats/Langfuse.ts"
import type { Row } from "./formats/Values.ts"
import { LogError, type LogFormat, logFormats } from "./LoggedCall.ts"
import { bytesOf, type LogFile } from "./LogFile.ts"

export interface Layout {
  readonly container: Container
  readonly format: LogFormat
  /** True for a table whose first rows are all labels, so that no calls are read from it. */
  readonly isOfLabels: boolean
}

const noText = "this is no text, and so no log: unpack it, or export the log as JSON Lines, JSON or CSV in "
  + "UTF-8; gzip is read"
const noColumns = "this is neither JSON nor a table with a header: its first line names no columns"

/** Maximum number of fields of a file's first row that a refusal names. */
const namedMax = 8

/** The beginning of an API's answer whose first field is the list of rows. */
const wrapper =
  /^\s*\{\s*"(data|observations|scores|generations|requests|resourceSpans|resourceLogs)"\s*:\s*\[/

const lineStarts = /^\{.*\}\s*$/

const linesLookedAt = 20

/** Returns true if one of the first lines is an object that is not an answer with a list of rows. */
const isLines = (text: string, isWhole: boolean): boolean => {
  const lines = text.split("\n", linesLookedAt + 1)
  const complete = isWhole ? lines : lines.slice(0, -1)
  return complete.some((line) => {
    if (!lineStarts.test(line)) return false
    const row = parseRow(line)
    return row !== null && !(wrapper.test(line) && Array.isArray(row.data))
  })
}

const lineLookedAt = 4_096

/** Control characters that occur in no text, unlike white space and the escape character. */
const control = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/

const delimiters = [",", ";", "\t", "|"] as const

/** Returns the delimiter that splits the first line into the most columns, and the columns' names. */
const tableOf = (line: string) =>
  delimiters.map((delimiter) => ({
    delimiter, columns: line.split(delimiter).map((name) => name.trim().replace(/^"(.*)"$/, "$1"))
  })).reduce((best, one) => one.columns.length > best.columns.length ? one : best)

const formatsOf = (rows: ReadonlyArray<Row>, isTable: boolean): ReadonlyArray<LogFormat> => {
  // Sextant's own format has two names, `jsonl` and `csv`.
  const names = logFormats.filter((name) => name !== (isTable ? "jsonl" : "csv"))
  return names.filter((name) => rows.some((row) => formats[name].isOf(row)))
}

const listed = (names: ReadonlyArray<string>): string => names.join(", ")

/** Decompressed bytes read from a file's beginning; up to `lookedAtMax` to find the end of the first line. */
const lookedAt = 2 ** 18
const lookedAtMax = 2 ** 24 + 2 ** 20

const rowsLookedAt = 50

/** Reads a file's beginning, with its first line. `isWhole` is true if this is the whole file. */
const beginningOf = Effect.fnUntraced(function*(file: LogFile) {
  const { bytes, damage } = bytesOf(file)
  const parts: Array<Uint8Array> = []
  let [length, hasLine, isWhole] = [0, false, true]
  yield* bytes.pipe(
    Stream.takeUntil((part) => {
      parts.push(part)
      length += part.length
      hasLine ||= part.includes(0x0a)
      isWhole = !(length >= lookedAtMax || (length >= lookedAt && hasLine))
      return !isWhole
    }),
    Stream.runDrain
  )
  const why = length === 0 ? damage() : null
  if (why === null) return { bytes: Buffer.concat(parts), isWhole }
  const detail = `it is packed by gzip, and nothing of it can be unpacked: ${why}`
  return yield* new LogError({ path: file.path, reason: "unreadable", detail })
})

/** Returns null for a blank file. Fails if the form or the program of a file is ambiguous or unknown. */
export const layoutOf = Effect.fnUntraced(function*(
  file: LogFile,
  asked: LogFormat | "auto"
): Effect.fn.Return<Layout | null, LogError> {
  const { path } = file
  const unclear = (detail: string) => new LogError({ path, reason: "unclear", detail })
  const { bytes, isWhole } = yield* beginningOf(file)
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === "") return null
  const first = text.trimStart().at(0)
  const line = text.slice(0, text.search(/[\r\n]|$/))
  let columns: ReadonlyArray<string> = []
  let container: Container
  if (first === "[") container = { _tag: "List", pointer: "" }
  else if (first === "{") {
    const [, name] = wrapper.exec(text) ?? []
    container = isLines(text, isWhole)
      ? { _tag: "Lines" }
      : name === undefined ? { _tag: "Single" } : { _tag: "List", pointer: `/${name}` }
  } else {
    if (control.test(line.slice(0, lineLookedAt))) return yield* unclear(noText)
    const table = tableOf(line)
    columns = table.columns
    if (columns.length < 2) return yield* unclear(noColumns)
    container = { _tag: "Table", delimiter: table.delimiter }
  }
  const isTable = container._tag === "Table"
  const found = yield* rowsOf(path, container, Stream.make(bytes)).pipe(
    Stream.filter((row): row is Row => !(row instanceof LeftOutRow)),
    Stream.take(rowsLookedAt),
    Stream.runCollect
  )
  // A table without rows is recognised by its columns.
  const rows = found.length > 0 || !isTable ? found : [Object.fromEntries(columns.map((name) => [name, ""]))]
  if (rows.length === 0) return yield* unclear("no row of it can be read")
  const possible = asked === "auto" ? formatsOf(rows, isTable) : [asked]
  const [format] = possible
  const isOfLabels = isTable && format === "langfuse" && found.length > 0 && found.every(isScoreRow)
  if (format !== undefined && possible.length === 1) return { container, format, isOfLabels }
  return yield* unclear(possible.length > 1
    ? `its rows could be of ${listed(possible)}: name one with --format`
    : `its rows are of no known log: name one with --format (${listed(logFormats)}). The first has the `
      + "fields " + listed(Object.keys(rows[0] ?? {}).slice(0, namedMax)))
})
