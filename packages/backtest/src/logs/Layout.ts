/* Recognises a file by its first rows: the form of its rows, and the program that wrote them. */
import { formats, isRollup } from "./formats/Formats.ts"
import { isScoreRow } from "./formats/Langfuse.ts"
import type { Row } from "./formats/Values.ts"
import { type LogFormat, logFormats } from "./LoggedCall.ts"
import { csvFieldsOf, makeCsvRows } from "./rows/CsvRows.ts"
import { makeJsonValues } from "./rows/JsonValues.ts"
import { makeLines } from "./rows/Lines.ts"
import { parseRow } from "./rows/ParseRow.ts"
import type { CutterStart, RawRow, RowCutter } from "./rows/RawRow.ts"

/** How a file holds its rows. */
export type Container =
  | { readonly _tag: "Lines" }
  /** JSON values one after the other, the first of them after so many bytes. */
  | { readonly _tag: "Values"; readonly offset: number }
  | {
    readonly _tag: "Csv"
    readonly delimiter: string
    /** The names of the columns, and where their row ends, bytes. */
    readonly header: ReadonlyArray<string>
    readonly headerEnd: number
  }

export interface Layout {
  readonly container: Container
  readonly format: LogFormat
  /** Whether it is a table of labels, which has no call. */
  readonly isOfLabels: boolean
}

/** Why a file is not read; `detail` is the sentence for the person who named it. */
export interface Refusal {
  readonly reason: "unsupported" | "unclear"
  readonly detail: string
}

/** Files that are known by their first bytes and not read, each with what to do instead. */
const magics: ReadonlyArray<readonly [bytes: string, detail: string]> = [
  ["PAR1", "this is Parquet, which is not read: export the log as JSON Lines, JSON or CSV"],
  ["PK\u0003\u0004", "this is a zip archive: unpack it, and name the files in it"],
  ["(\u00b5/\u00fd", "this is packed by zstd: unpack it with `zstd -d`, or pack it with gzip"],
  ["BZh", "this is packed by bzip2: unpack it with `bunzip2`, or pack it with gzip"],
  ["\u00fd7zXZ", "this is packed by xz: unpack it with `unxz`, or pack it with gzip"],
  ["SQLite format 3", "this is a database of SQLite: export the table of calls as CSV"],
  ["Obj\u0001", "this is Avro, which is not read: export the log as JSON Lines, JSON or CSV"],
  ["\u00ff\u00fe", "this text is in UTF-16: save it as UTF-8"],
  ["\u00fe\u00ff", "this text is in UTF-16: save it as UTF-8"],
  ["\u001f\u008b", "this is packed by gzip twice: unpack it once"]
]

const noText = "this is no text, and so no log: its first line holds bytes that no text has"
const carriageReturns = "its lines end with a carriage return alone: save it with line feeds"

const rollup = "this is a sum of calls by day and model, such as OpenRouter's activity or LiteLLM's daily "
  + "spend: it has no single calls to learn from. Export the calls, from OpenRouter those of "
  + "/api/v1/generation"

/** Fields of a file's first row that a refusal names, count. */
const namedMax = 8

/** Cuts the bytes of the file from `start` on. */
export const cutterOf = (container: Container, start: CutterStart): RowCutter => {
  if (container._tag === "Lines") return makeLines(start)
  return container._tag === "Values"
    ? makeJsonValues({ ...start, offset: Math.max(start.offset, container.offset) })
    : makeCsvRows(start, container.delimiter)
}

const bomLengthOf = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0

/** Answers of APIs that hold their rows in a list: its name is their first field. */
const wrapper =
  /^\s*\{\s*"(?:data|observations|scores|generations|requests|resourceSpans|resourceLogs)"\s*:\s*\[/

const lineStarts = /^\{.*\}\s*$/

/** Lines that are looked at for one that is a row by itself, count. */
const linesLookedAt = 20

/** Whether the file is JSON Lines: one of its first lines is an object, and no answer with rows in it. */
const isLines = (text: string, isWhole: boolean): boolean => {
  const lines = text.split("\n", linesLookedAt + 1)
  const complete = isWhole ? lines : lines.slice(0, -1)
  return complete.some((line) => {
    if (!lineStarts.test(line)) return false
    const row = parseRow(Buffer.from(line))
    return row !== null && !(wrapper.test(line) && Array.isArray(row.data))
  })
}

const lineFeed = 0x0a

/** Bytes of the first line that are looked at for those of no text, count. */
const lineBytesLookedAt = 4_096

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

/** Whether a byte is a control character, of which texts have white space and escapes alone. */
const isControl = (byte: number): boolean => byte < 0x20 && !isBlank(byte) && byte !== 0x1b

/** Why a file that does not begin like JSON is no table either; null for one that may be. */
const noTableOf = (bytes: Uint8Array): string | null => {
  const end = bytes.indexOf(lineFeed)
  const line = bytes.subarray(0, Math.min(end < 0 ? bytes.length : end, lineBytesLookedAt))
  if (line.some(isControl)) return noText
  return end < 0 && line.subarray(0, -1).includes(0x0d) ? carriageReturns : null
}

const delimiters = [",", ";", "\t", "|"] as const

/** The names of columns, by the delimiter that gives the most; null where there is no header of several. */
const headerOf = (bytes: Uint8Array): Container | null => {
  const tries = delimiters.flatMap((delimiter) => {
    const cut = makeCsvRows({ offset: 0, line: 0 }, delimiter)
    const first = [...cut.push(bytes), ...cut.end()].at(0)
    const fields = first === undefined ? null : csvFieldsOf(new TextDecoder().decode(first.bytes), delimiter)
    const header = fields?.map((name) => name.trim()) ?? []
    return first === undefined || header.length < 2
      ? []
      : [{ _tag: "Csv", delimiter, header, headerEnd: first.endOffset } as const]
  })
  return tries.reduce<Extract<Container, { _tag: "Csv" }> | null>(
    (best, one) => one.header.length > (best?.header.length ?? 0) ? one : best, null)
}

/** The container; null for none, or the sentence that says why there is none. */
const containerOf = (bytes: Uint8Array, isWhole: boolean): Container | string | null => {
  const bom = bomLengthOf(bytes)
  const text = new TextDecoder().decode(bytes)
  const first = text.trimStart().at(0)
  const offsetOf = (prefix: string): number => bom + Buffer.byteLength(prefix)
  if (first === "[") return { _tag: "Values", offset: offsetOf(text.slice(0, text.indexOf("[") + 1)) }
  if (first !== "{") return noTableOf(bytes) ?? headerOf(bytes)
  if (isLines(text, isWhole)) return { _tag: "Lines" }
  const [prefix] = wrapper.exec(text) ?? []
  return { _tag: "Values", offset: prefix === undefined ? bom : offsetOf(prefix) }
}

/** The first rows of a file that can be read. */
const firstRows = (raw: ReadonlyArray<RawRow>, container: Container): ReadonlyArray<Row> =>
  raw.slice(0, rowsLookedAt).map((row) => readRaw(row, container)).filter((row) => row !== null)

/** Rows by which a format is recognised, count. */
const rowsLookedAt = 50

/** A row's fields; null for the header of a CSV, and for a row that is not in the form of the file. */
export const readRaw = ({ bytes }: Pick<RawRow, "bytes">, container: Container): Row | null => {
  if (container._tag !== "Csv") return parseRow(bytes)
  const fields = csvFieldsOf(new TextDecoder().decode(bytes), container.delimiter)
  if (fields === null || fields.length !== container.header.length) return null
  const row: Record<string, string> = {}
  for (const [i, name] of container.header.entries()) row[name] = fields[i] ?? ""
  return row
}

/** The formats that a file's first rows are of, by the fields that they have. */
const formatsOf = (rows: ReadonlyArray<Row>, isCsv: boolean): ReadonlyArray<LogFormat> => {
  // Our own is one reading with two names.
  const names = logFormats.filter((name) => name !== (isCsv ? "jsonl" : "csv"))
  return names.filter((name) => rows.some((row) => formats[name].isOf(row)))
}

const unclear = (detail: string): Refusal => ({ reason: "unclear", detail })

const listed = (names: ReadonlyArray<string>): string => names.join(", ")

/**
 * What the file is that begins with these bytes, `isWhole` if it ends with them; null where they are too few
 * to tell, and for an empty file.
 */
export const layoutOf = (
  bytes: Uint8Array,
  isWhole: boolean,
  asked: LogFormat | "auto"
): Layout | Refusal | null => {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1")
  const magic = magics.find(([known]) => start.startsWith(known))
  if (magic !== undefined) return { reason: "unsupported", detail: magic[1] }
  if (bytes.every(isBlank)) return null
  const container = containerOf(bytes, isWhole)
  if (typeof container === "string") return unclear(container)
  if (container === null) return isWhole || bytes.includes(lineFeed)
    ? unclear("this is neither JSON nor a table with a header: its first line names no columns")
    : null
  const isCsv = container._tag === "Csv"
  const cut = cutterOf(container, { offset: 0, line: 0 })
  const from = container._tag === "Values" ? container.offset : 0
  const raw = [...cut.push(bytes.subarray(from)), ...(isWhole ? cut.end() : [])]
  const rows = firstRows(isCsv ? raw.slice(1) : raw, container)
  // A table without rows is known by its columns.
  const columns = isCsv ? [Object.fromEntries(container.header.map((name) => [name, ""]))] : []
  const named = rows.length === 0 ? columns : rows
  if (named.length === 0) return isWhole ? unclear("no row of it can be read") : null
  if (named.every(isRollup)) return { reason: "unsupported", detail: rollup }
  const found = asked === "auto" ? formatsOf(named, isCsv) : [asked]
  const [format] = found
  const isOfLabels = isCsv && format === "langfuse" && rows.length > 0 && rows.every(isScoreRow)
  if (format !== undefined && found.length === 1) return { container, format, isOfLabels }
  return unclear(found.length > 1
    ? `its rows could be of ${listed(found)}: name one with --format`
    : `its rows are of no known log: name one with --format (${listed(logFormats)}). The first has the `
      + "fields " + listed(Object.keys(named[0] ?? {}).slice(0, namedMax)))
}

export const isRefusal = (layout: Layout | Refusal): layout is Refusal => "reason" in layout
