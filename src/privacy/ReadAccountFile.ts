/* Reads a file of exported accounts, and checks every line from the header to the last seal. */
import { Effect, Schema } from "effect"
import { createHash, type Hash } from "node:crypto"
import { messageOf } from "../domain/text/ErrorMessage.ts"
import { beforeBaseline, lastReaders } from "../sql/Migrations.ts"
import { backupIn, type Header, headerIn, lineIn, rowReader, sealIn, type Section } from "./AccountFile.ts"
import type { Store } from "./AccountTables.ts"
import type { OnRows } from "./ExportAccount.ts"
import { LineTooLong, type NumberedLine, readLines } from "./ReadLines.ts"

/** If a file is not valid, nothing is imported from it. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  reason: Schema.String,
  line: Schema.NullOr(Schema.Int)
}) {
  override get message() {
    return `${this.line === null ? "" : `Line ${this.line}: `}${this.reason}. Nothing was imported`
  }
}

/** `line` counts from 1; it is null if the problem is not of one line. */
export const refuse = (reason: string, line: number | null = null) => new ImportRefused({ reason, line })

export interface NumberedRow {
  readonly line: number
  readonly account: string
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
}

interface Checked {
  /** True for a backup, which may contain any number of accounts. */
  readonly isBackup: boolean
  readonly sections: ReadonlyArray<Section>
  /** Numbers of rows by table, and of values by column, whose table or column this database lacks. */
  readonly leftOut: Readonly<Record<string, number>>
}

type LineRows = ReadonlyArray<NumberedRow> | ImportRefused

interface Open {
  readonly header: Header
  /** An older file may have tables and columns that the database does not have. */
  readonly isOlder: boolean
  readonly counts: Record<string, number>
  readonly digest: Hash
}

type Readers = ReadonlyMap<string, ReturnType<typeof rowReader>>

const readersOf = (tables: Store["tables"]): Readers =>
  new Map(tables.map((table) => [table.name, rowReader(table)]))

class AccountLines {
  readonly #schema: ReadonlyArray<string>
  readonly #readers: Readers
  readonly #sections: Array<Section> = []
  readonly #leftOut: Record<string, number> = {}
  /** The accounts that a backup's header lists; null for an export of one account. */
  #promised: ReadonlyArray<string> | null = null
  /** The open account; null before a header and after a seal. */
  #open: Open | null = null

  constructor({ schema, tables }: Store) {
    this.#schema = schema
    this.#readers = readersOf(tables)
  }

  #leaveOut(what: string): void {
    this.#leftOut[what] = (this.#leftOut[what] ?? 0) + 1
  }

  #row({ counts, header, isOlder }: Open, { number, text }: NumberedLine): LineRows {
    const line = lineIn(text)
    if (line === null) return refuse("it is no row of an export", number)
    const { kind, row } = line
    counts[kind] = (counts[kind] ?? 0) + 1
    const reader = this.#readers.get(kind)
    if (reader === undefined) {
      if (!isOlder) return refuse(`"${kind.slice(0, 60)}" is nothing that is kept here`, number)
      this.#leaveOut(kind)
      return []
    }
    const read = reader(row)
    if ("problem" in read) return refuse(read.problem, number)
    for (const column of read.unknown) {
      if (!isOlder) return refuse(`${kind} has no column ${column}`, number)
      if (row[column] !== null) this.#leaveOut(`${kind}.${column}`)
    }
    return [{ line: number, account: header.account, kind, row: read.row }]
  }

  #begin({ number, text }: NumberedLine): ImportRefused | null {
    const backup = number === 1 ? backupIn(text) : null
    if (backup !== null) {
      this.#promised = backup.accounts
      return null
    }
    const isEnd = this.#sections.length === (this.#promised?.length ?? 1)
    if (isEnd) return refuse("something follows the end of the export", number)
    const header = headerIn(text)
    if (header === null) return refuse("it is no header of an export of this format", number)
    const next = this.#promised?.[this.#sections.length] ?? header.account
    if (header.account !== next) return refuse(`the account ${next} is missing`, number)
    const known = [...this.#schema, ...beforeBaseline]
    const unknown = header.schema.filter((name) => !known.includes(name))
    const [first] = unknown
    if (first !== undefined) {
      return refuse(Object.hasOwn(lastReaders, first)
        ? `an earlier version exported it: import it with commit ${lastReaders["log"]}, and export it there`
        : `it was exported by a newer version: this schema lacks ${unknown.join(", ")}`)
    }
    const isOlder = header.schema.join() !== this.#schema.join()
    this.#open = { header, isOlder, counts: {}, digest: createHash("sha256").update(`${text}\n`) }
    return null
  }

  /** Checks the account's row counts against its header, and its lines' checksum against the seal's. */
  #end({ counts, digest, header }: Open, promised: string, line: number): ImportRefused | null {
    const sha256 = digest.digest("hex")
    if (promised !== sha256) return refuse("the file was changed since it was exported", line)
    const kind = Object.keys({ ...header.counts, ...counts })
      .find((each) => (header.counts[each] ?? 0) !== (counts[each] ?? 0))
    if (kind !== undefined) {
      return refuse(`it promises ${header.counts[kind] ?? 0} of ${kind} and has ${counts[kind] ?? 0}`)
    }
    this.#sections.push({ account: header.account, counts: header.counts, sha256 })
    this.#open = null
    return null
  }

  next(line: NumberedLine): LineRows {
    const open = this.#open
    if (open === null) return this.#begin(line) ?? []
    const seal = line.text.startsWith('{"kind":"end"') ? sealIn(line.text) : null
    if (seal !== null) return this.#end(open, seal.sha256, line.number) ?? []
    open.digest.update(`${line.text}\n`)
    return this.#row(open, line)
  }

  end(): Checked | ImportRefused {
    const isBackup = this.#promised !== null
    if (this.#open !== null || this.#sections.length < (this.#promised?.length ?? 0)) {
      return refuse("the file ends before the export does")
    }
    if (!isBackup && this.#sections.length === 0) return refuse("the file is empty")
    return { isBackup, sections: this.#sections, leftOut: this.#leftOut }
  }
}

export const eachBatch = Effect.fnUntraced(function*<E, R>(
  path: string,
  store: Store,
  report: OnRows,
  take: (rows: ReadonlyArray<NumberedRow>) => Effect.Effect<void, E, R>
): Effect.fn.Return<Checked, E | ImportRefused, R> {
  const lines = new AccountLines(store)
  const batches = readLines(path)
  const nextBatch = Effect.tryPromise({
    try: () => batches.next(),
    catch: (error) => error instanceof LineTooLong
      ? refuse("it is longer than any row", error.number)
      : refuse(`${path} cannot be read: ${messageOf(error)}`)
  })
  for (let done = 0;;) {
    const batch = yield* nextBatch
    if (batch.done === true) break
    const rows: Array<NumberedRow> = []
    for (const line of batch.value) {
      const own = lines.next(line)
      if (own instanceof ImportRefused) return yield* own
      rows.push(...own)
    }
    if (rows.length > 0) yield* take(rows)
    done += rows.length
    report(done, null)
  }
  const checked = lines.end()
  return checked instanceof ImportRefused ? yield* checked : checked
})

export const checkFile = (path: string, store: Store, report: OnRows) =>
  eachBatch(path, store, report, () => Effect.void)
