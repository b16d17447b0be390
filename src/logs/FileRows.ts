/* The rows of a file: lines of JSON, the elements of a list, or the records of a table. */
import { Stream } from "effect"
import { Csv, JsonArray } from "effect/encoding"
import { isRow, type Row } from "./formats/Values.ts"
import { LogError, type LeftOut } from "./LoggedCall.ts"

/** How a file holds its rows. */
export type Container =
  | { readonly _tag: "Lines" }
  /** The elements of the list at a JSON pointer. */
  | { readonly _tag: "List"; readonly pointer: string }
  /** One object, which is the only row. */
  | { readonly _tag: "Single" }
  /** A table whose first record names its columns. */
  | { readonly _tag: "Table"; readonly delimiter: string }

/** A row, or why one cannot be read. */
export type FileRow = Row | LeftOutRow

/** The reason why a row is left out, as an instance that no row of a file can be. */
export class LeftOutRow {
  readonly leftOut: LeftOut
  constructor(reason: LeftOut["reason"], detail: string | null = null) {
    this.leftOut = { reason, detail }
  }
}

/** Largest row that is read, characters: prompts with files in them reach some megabytes. Chosen. */
const rowMax = 16 * 2 ** 20

/** Rows that may be nested so deeply that they cannot be written again, characters. */
const deepMin = 2 ** 13

/**
 * The object that a text is; null for anything else, and for one that is nested too deeply to be written
 * again.
 */
export const parseRow = (text: string): Row | null => {
  try {
    const value: unknown = JSON.parse(text)
    if (text.length >= deepMin) JSON.stringify(value)
    return isRow(value) ? value : null
  } catch {
    // Not JSON: it is counted as such by every caller.
    return null
  }
}

const blank = /^\s*$/

/** A line; `isLast` where the file ends with it, maybe within it. Nothing for a blank one. */
const rowOfLine = (line: string, isLast: boolean): ReadonlyArray<FileRow> => {
  if (line.length > rowMax) return [new LeftOutRow("row_too_large")]
  if (blank.test(line)) return []
  return [parseRow(line) ?? new LeftOutRow(isLast ? "truncated" : "unreadable_row")]
}

/** What is kept of a line that is too large while its end is looked for. */
const tooLarge = " ".repeat(rowMax + 1)

/** One row a line, each read by itself: a line that a program broke off says nothing of the others. */
const linesOf = <E>(texts: Stream.Stream<string, E>): Stream.Stream<FileRow, E> =>
  texts.pipe(Stream.mapAccum(() => "", (before: string, text) => {
    const [first = "", ...more] = text.split("\n")
    const line = before === tooLarge ? tooLarge : before + first
    const lines = [line, ...more]
    const rest = lines.pop() ?? ""
    return [rest.length > rowMax ? tooLarge : rest, lines.flatMap((each) => rowOfLine(each, false))] as const
  }, { onHalt: (rest) => rowOfLine(rest, true) }))

const elementsOf = <E>(texts: Stream.Stream<string, E>, pointer: string) =>
  texts.pipe(
    Stream.pipeThroughChannel(JsonArray.decodeString({ pointer, maxElementSize: rowMax })),
    Stream.map((value): FileRow => isRow(value) ? value : new LeftOutRow("unreadable_row"))
  )

/** A record with as many fields as the table has columns. */
const recordOf = (columns: ReadonlyArray<string>, cells: ReadonlyArray<string>): ReadonlyArray<FileRow> => {
  if (cells.length === 1 && blank.test(cells[0] ?? "")) return []
  return cells.length === columns.length
    ? [Object.fromEntries(columns.map((name, i) => [name, cells[i]]))]
    : [new LeftOutRow("unreadable_row")]
}

/** The names of a table's columns; null before its first record. */
type CsvColumns = ReadonlyArray<string> | null

const recordsOf = <E>(texts: Stream.Stream<string, E>, delimiter: string) =>
  texts.pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ delimiter, maxRecordSize: rowMax })),
    Stream.mapAccum((): CsvColumns => null, (columns: CsvColumns, cells) =>
      columns === null
        ? [cells.map((name) => name.trim()), []] as const
        : [columns, recordOf(columns, cells)] as const)
  )

/** What a decoder says where the file ends within a row. */
const isCutOff = ({ message }: { readonly message: string }): boolean =>
  message === "Unexpected end of input" || message === "Unterminated quoted field"

/**
 * A list or a table is read up to its first fault: a file that is cut off ends there, any other is refused.
 */
const refused = (path: string) => (error: Csv.CsvError | JsonArray.JsonArrayError) => {
  if (isCutOff(error)) return Stream.succeed<FileRow>(new LeftOutRow("truncated"))
  const place = error._tag === "CsvError" ? `in line ${error.line}` : `at character ${error.offset ?? 0}`
  return Stream.fail(new LogError({
    path, reason: "unclear", detail: `it is not well formed ${place}: ${error.message}`
  }))
}

/** All rows of a file. */
export const rowsOf = (
  path: string,
  container: Container,
  bytes: Stream.Stream<Uint8Array, LogError>
): Stream.Stream<FileRow, LogError> => {
  const texts = Stream.decodeText(bytes)
  if (container._tag === "Lines") return linesOf(texts)
  if (container._tag === "Table") {
    return recordsOf(texts, container.delimiter).pipe(Stream.catchTag("CsvError", refused(path)))
  }
  const list = container._tag === "List"
    ? texts
    : Stream.make("[").pipe(Stream.concat(texts), Stream.concat(Stream.make("]")))
  return elementsOf(list, container._tag === "List" ? container.pointer : "").pipe(
    Stream.catchTag("JsonArrayError", refused(path))
  )
}
