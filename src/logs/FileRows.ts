/* Reads the rows of a file: lines of JSON, the elements of a list, or the records of a table. */
import { Stream } from "effect"
import { Csv, JsonArray } from "effect/encoding"
import { isRow, type Row } from "./formats/Values.ts"
import { LogError, type LeftOut } from "./LoggedCall.ts"

export type Container =
  | { readonly _tag: "Lines" }
  /** The elements of the list at a JSON pointer. */
  | { readonly _tag: "List"; readonly pointer: string }
  /** A file that holds one object, which is the file's only row. */
  | { readonly _tag: "Single" }
  /** A table, whose first record names the columns. */
  | { readonly _tag: "Table"; readonly delimiter: string }

/** A row, or the reason why it cannot be read. */
export type FileRow = Row | LeftOutRow

/** The reason to leave out a row is a class, so that no row can look like a reason. */
export class LeftOutRow {
  readonly leftOut: LeftOut
  constructor(reason: LeftOut["reason"], detail: string | null = null) {
    this.leftOut = { reason, detail }
  }
}

/** Maximum length of a row, characters. Prompts that contain files reach some megabytes. Chosen. */
const rowMax = 16 * 2 ** 20

/** Length from which a row may be nested too deeply for `JSON.stringify`, characters. */
const deepMin = 2 ** 13

/** Returns null for a text that is no object, or one nested too deeply for `JSON.stringify`. */
export const parseRow = (text: string): Row | null => {
  try {
    const value: unknown = JSON.parse(text)
    if (text.length >= deepMin) JSON.stringify(value)
    return isRow(value) ? value : null
  } catch {
    return null
  }
}

const blank = /^\s*$/

/** Returns an empty list for a blank line. `isLast` marks the last line, which may be cut off. */
const rowOfLine = (line: string, isLast: boolean): ReadonlyArray<FileRow> => {
  if (line.length > rowMax) return [new LeftOutRow("row_too_large")]
  if (blank.test(line)) return []
  return [parseRow(line) ?? new LeftOutRow(isLast ? "truncated" : "unreadable_row")]
}

/** A text that replaces the beginning of a line that is too long, until the line's end is found. */
const tooLarge = " ".repeat(rowMax + 1)

/** Reads each line as a row; a broken line does not affect other lines. */
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

/** Returns an empty list for a blank record. A record must have as many fields as the table has columns. */
const recordOf = (columns: ReadonlyArray<string>, cells: ReadonlyArray<string>): ReadonlyArray<FileRow> => {
  if (cells.length === 1 && blank.test(cells[0] ?? "")) return []
  return cells.length === columns.length
    ? [Object.fromEntries(columns.map((name, i) => [name, cells[i]]))]
    : [new LeftOutRow("unreadable_row")]
}

type CsvColumns = ReadonlyArray<string> | null

const recordsOf = <E>(texts: Stream.Stream<string, E>, delimiter: string) =>
  texts.pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ delimiter, maxRecordSize: rowMax })),
    Stream.mapAccum((): CsvColumns => null, (columns: CsvColumns, cells) =>
      columns === null
        ? [cells.map((name) => name.trim()), []] as const
        : [columns, recordOf(columns, cells)] as const)
  )

/** Returns true if a decoder's error means that the file ends within a row. */
const isCutOff = ({ message }: { readonly message: string }): boolean =>
  message === "Unexpected end of input" || message === "Unterminated quoted field"

/** Ends the rows of a file that was cut off, and fails for a file that is broken in another way. */
const refused = (path: string) => (error: Csv.CsvError | JsonArray.JsonArrayError) => {
  if (isCutOff(error)) return Stream.succeed<FileRow>(new LeftOutRow("truncated"))
  const place = error._tag === "CsvError" ? `in line ${error.line}` : `at character ${error.offset ?? 0}`
  return Stream.fail(new LogError({
    path, reason: "unclear", detail: `it is not well formed ${place}: ${error.message}`
  }))
}

/** `path` is used in the text of a failure. */
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
