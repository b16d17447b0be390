/* Reads an exported account's file, and checks every line from the header to the seal. */
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { messageOf } from "../domain/text/ErrorMessage.ts"
import { type Header, headerIn, keyKind, lineIn, rowReader, sealIn } from "./AccountFile.ts"
import type { AccountTable } from "./AccountTables.ts"
import { LineTooLong, type NumberedLine, readLines } from "./ReadLines.ts"

/** The file is not a valid export. Nothing was imported. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  reason: Schema.String,
  line: Schema.NullOr(Schema.Int)
}) {
  override get message() {
    return `${this.line === null ? "" : `Line ${this.line}: `}${this.reason}. Nothing was imported`
  }
}

/** A failure of the file, at a line of it. */
export const refuse = (reason: string, line: number | null = null) => new ImportRefused({ reason, line })

/** A row with its line number, ready to be written. */
export interface ReadRow {
  readonly line: number
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
}

/** The result of reading a whole file. */
interface Checked {
  readonly header: Header
  readonly keys: number
}

/** Checks the lines of one file in their order, and counts its rows. */
class AccountLines {
  readonly #readers: ReadonlyMap<string, ReturnType<typeof rowReader>>
  readonly #digest = createHash("sha256")
  readonly #counts: Record<string, number> = {}
  #isSealed = false
  /** Null before the header's line. */
  #header: Header | null = null

  constructor(tables: ReadonlyArray<AccountTable>) {
    this.#readers = new Map(tables.map((table) => [table.name, rowReader(table)]))
  }

  #row({ number, text }: NumberedLine): ReadRow | ImportRefused | null {
    // A source of a version before: of readers whom nobody knew, so that it says no more than no source.
    const line = lineIn(text.replaceAll('"provenance": "vote"', '"provenance": "assertion"'))
    if (line === null) return refuse("it is no row of an export", number)
    this.#counts[line.kind] = (this.#counts[line.kind] ?? 0) + 1
    if (line.kind === keyKind) return null
    const reader = this.#readers.get(line.kind)
    if (reader === undefined) {
      return refuse(`"${line.kind.slice(0, 60)}" is nothing that is kept here`, number)
    }
    const read = reader(line.row)
    return "problem" in read ? refuse(read.problem, number) : { line: number, kind: line.kind, row: read.row }
  }

  /** The row of the next line; null for a line without a row to import: header, key or seal. */
  next(line: NumberedLine): ReadRow | ImportRefused | null {
    if (this.#isSealed) return refuse("something follows the end of the export", line.number)
    const seal = line.text.startsWith('{"kind":"end"') ? sealIn(line.text) : null
    if (seal !== null) {
      if (seal.sha256 !== this.#digest.digest("hex")) {
        return refuse("the file was changed since it was exported", line.number)
      }
      this.#isSealed = true
      return null
    }
    this.#digest.update(`${line.text}\n`)
    if (this.#header !== null) return this.#row(line)
    this.#header = headerIn(line.text)
    return this.#header === null ? refuse("it is no header of an export of this format", line.number) : null
  }

  /** The result at the end of the file. */
  end(): Checked | ImportRefused {
    const header = this.#header
    if (header === null) return refuse("the file is empty")
    if (!this.#isSealed) return refuse("the file ends before the export does")
    const counts = this.#counts
    const kind = Object.keys({ ...header.counts, ...counts })
      .find((each) => (header.counts[each] ?? 0) !== (counts[each] ?? 0))
    if (kind !== undefined) {
      return refuse(`it promises ${header.counts[kind] ?? 0} of ${kind} and has ${counts[kind] ?? 0}`)
    }
    return { header, keys: counts[keyKind] ?? 0 }
  }
}

/** Reads the file from its header to its seal, and passes its rows on in batches. */
export const eachBatch = Effect.fnUntraced(function*<E, R>(
  path: string,
  tables: ReadonlyArray<AccountTable>,
  take: (rows: ReadonlyArray<ReadRow>) => Effect.Effect<void, E, R>
): Effect.fn.Return<Checked, E | ImportRefused, R> {
  const lines = new AccountLines(tables)
  const batches = readLines(path)
  const nextBatch = Effect.tryPromise({
    try: () => batches.next(),
    catch: (error) => error instanceof LineTooLong
      ? refuse("it is longer than any row", error.number)
      : refuse(`${path} cannot be read: ${messageOf(error)}`)
  })
  for (;;) {
    const { done, value } = yield* nextBatch
    if (done === true) break
    const rows: Array<ReadRow> = []
    for (const line of value) {
      const row = lines.next(line)
      if (row instanceof ImportRefused) return yield* row
      if (row !== null) rows.push(row)
    }
    if (rows.length > 0) yield* take(rows)
  }
  const checked = lines.end()
  return checked instanceof ImportRefused ? yield* checked : checked
})
