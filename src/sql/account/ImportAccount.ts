/* Imports an exported account into this database: all of the file, or nothing of it. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { AccountId } from "../../domain/Scope.ts"
import { inSavepoint, withAccount } from "../AccountScope.ts"
import { isRefusal } from "../Transient.ts"
import { type Header, headerIn, keyKind, lineIn, rowReader, sealIn } from "./AccountFile.ts"
import { type AccountTable, accountTables, exported } from "./AccountTables.ts"
import type { Progress } from "./ExportAccount.ts"
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

/** The account has rows already. */
export class AccountInUse extends Schema.TaggedError<AccountInUse>()("AccountInUse", {
  account: Schema.String,
  table: Schema.String
}) {
  override get message() {
    return `${this.account} has rows in ${this.table} already: import into another account with --instance,`
      + " or add what is missing with --force"
  }
}

type ImportFailure = ImportRefused | AccountInUse | SqlError.SqlError | Schema.SchemaError

interface ImportRequest {
  readonly path: string
  /** The account to import into; null for the one in the file. */
  readonly accountId: AccountId | null
  /** Whether to add missing rows to an account that has rows. */
  readonly isForced: boolean
}

export interface Imported {
  readonly account: string
  /** Number of new rows by kind; rows that existed stay unchanged. */
  readonly counts: Readonly<Record<string, number>>
  /** Number of keys in the file. None of them works here, since their secrets are not in it. */
  readonly keys: number
}

const refuse = (reason: string, line: number | null = null) => new ImportRefused({ reason, line })

/** A row with its line number, ready to be written. */
interface ReadRow {
  readonly line: number
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
}

/** The result of reading a whole file. */
interface Checked {
  readonly header: Header
  readonly keys: number
}

/** Reads the file from its header to its seal, and passes its rows on in batches. */
const eachBatch = Effect.fnUntraced(function*<E, R>(
  path: string,
  tables: ReadonlyArray<AccountTable>,
  take: (rows: ReadonlyArray<ReadRow>, header: Header) => Effect.Effect<void, E, R>
): Effect.fn.Return<Checked, E | ImportRefused, R> {
  const readers = new Map(tables.map((table) => [table.name, rowReader(table)]))
  const digest = createHash("sha256")
  const counts: Record<string, number> = {}
  let header: Header | null = null
  let isSealed = false
  const batches = readLines(path)
  const nextBatch = Effect.tryPromise({
    try: () => batches.next(),
    catch: (error) => error instanceof LineTooLong
      ? refuse("it is longer than any row", error.number)
      : refuse(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })

  const readRow = ({ number, text }: NumberedLine): ReadRow | ImportRefused | null => {
    const line = lineIn(text)
    if (line === null) return refuse("it is no row of an export", number)
    counts[line.kind] = (counts[line.kind] ?? 0) + 1
    if (line.kind === keyKind) return null
    const reader = readers.get(line.kind)
    if (reader === undefined) {
      return refuse(`"${line.kind.slice(0, 60)}" is nothing that is kept here`, number)
    }
    const read = reader(line.row)
    return "problem" in read ? refuse(read.problem, number) : { line: number, kind: line.kind, row: read.row }
  }

  for (;;) {
    const { done, value } = yield* nextBatch
    if (done === true) break
    const rows: Array<ReadRow> = []
    for (const line of value) {
      if (isSealed) return yield* refuse("something follows the end of the export", line.number)
      const seal = line.text.startsWith('{"kind":"end"') ? sealIn(line.text) : null
      if (seal !== null) {
        if (seal.sha256 !== digest.digest("hex")) {
          return yield* refuse("the file was changed since it was exported", line.number)
        }
        isSealed = true
        continue
      }
      digest.update(`${line.text}\n`)
      if (header === null) {
        header = headerIn(line.text)
        if (header === null) return yield* refuse("it is no header of an export of this format", line.number)
        continue
      }
      const row = readRow(line)
      if (row instanceof ImportRefused) return yield* row
      if (row !== null) rows.push(row)
    }
    if (header !== null && rows.length > 0) yield* take(rows, header)
  }
  if (header === null) return yield* refuse("the file is empty")
  if (!isSealed) return yield* refuse("the file ends before the export does")
  const kind = Object.keys({ ...header.counts, ...counts })
    .find((each) => (header?.counts[each] ?? 0) !== (counts[each] ?? 0))
  if (kind !== undefined) {
    return yield* refuse(`it promises ${header.counts[kind] ?? 0} of ${kind} and has ${counts[kind] ?? 0}`)
  }
  return { header, keys: counts[keyKind] ?? 0 }
})

/** Groups rows of one kind by their columns, so that columns that a row lacks get their default. */
const alike = (rows: ReadonlyArray<ReadRow>): ReadonlyArray<ReadonlyArray<ReadRow>> => {
  const groups = new Map<string, Array<ReadRow>>()
  for (const row of rows) {
    const key = JSON.stringify([row.kind, Object.keys(row.row).sort()])
    const group = groups.get(key) ?? []
    group.push(row)
    groups.set(key, group)
  }
  return [...groups.values()]
}

const insert = Effect.fnUntraced(function*(accountId: AccountId, rows: ReadonlyArray<ReadRow>) {
  const sql = yield* SqlClient.SqlClient
  const [first] = rows
  if (first === undefined) return 0
  const columns = sql.csv(Object.keys(first.row).map((column) => sql`${sql(column)}`))
  const written = yield* sql`insert into ${sql(first.kind)} (account_id, ${columns})
    select ${accountId}::text, ${columns} from json_populate_recordset(null::${sql(first.kind)},
      ${JSON.stringify(rows.map(({ row }) => row))}::text::json)
    on conflict do nothing returning true as written`
  return written.length
})

/** {@link insert}; when the database refuses a value, the failure names the line of the file. */
const insertNamed = (
  accountId: AccountId,
  rows: ReadonlyArray<ReadRow>
): Effect.Effect<number, SqlError.SqlError | ImportRefused, SqlClient.SqlClient> =>
  inSavepoint(insert(accountId, rows)).pipe(
    Effect.catchIf(isRefusal, (error) => {
      const [first] = rows
      return rows.length <= 1 || first === undefined
        ? refuse(`the database refuses this ${first?.kind}: ${error.message}`, first?.line ?? null)
        : Effect.forEach(rows, (row) => insertNamed(accountId, [row])).pipe(
          Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0))
        )
    })
  )

/** Fails when the account has rows other than its settings. */
const requireEmpty = Effect.fnUntraced(function*(accountId: AccountId, tables: ReadonlyArray<AccountTable>) {
  const sql = yield* SqlClient.SqlClient
  for (const { name } of tables.filter((table) => table.name !== "account_setting")) {
    const rows = yield* sql`select 1 as some from ${sql(name)} where account_id = ${accountId} limit 1`
    if (rows.length > 0) return yield* new AccountInUse({ account: accountId, table: name })
  }
})

/** Makes running copies load the lanes again, and the texts be counted from the beginning. */
const announce = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update lane set version = version + 1, rewritten_version = version + 1
    where account_id = ${accountId}`
  yield* sql`delete from text_bucket where account_id = ${accountId}`
})

/**
 * Imports an exported account in one transaction, after every line has been read and found valid. A row that
 * exists stays unchanged, so that an import may be repeated. Keys are not imported.
 */
export const importAccount = Effect.fnUntraced(function*(
  { accountId: given, isForced, path }: ImportRequest,
  report: (progress: Progress) => Effect.Effect<void>
): Effect.fn.Return<Imported, ImportFailure, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const tables = exported(yield* accountTables)
  const { header, keys } = yield* eachBatch(path, tables, () => Effect.void)
  const own = new Set((yield* sql<{ readonly name: string }>`select name from sextant_migration`)
    .map(({ name }) => name))
  const newer = header.schema.filter((name) => !own.has(name))
  if (newer.length > 0) {
    return yield* refuse(`it was exported by a newer version: this schema lacks ${newer.join(", ")}`)
  }
  const accountId = given ?? AccountId.make(header.account)
  const all = Object.values(header.counts).reduce((sum, count) => sum + count, 0)
  return yield* Effect.gen(function*() {
    if (!isForced) yield* requireEmpty(accountId, tables)
    const counts: Record<string, number> = {}
    let done = 0
    yield* eachBatch(path, tables, (rows) =>
      Effect.gen(function*() {
        for (const group of alike(rows)) {
          const kind = group[0]?.kind ?? ""
          counts[kind] = (counts[kind] ?? 0) + (yield* insertNamed(accountId, group))
          done += group.length
          yield* report({ kind, done, of: all })
        }
      }))
    yield* announce(accountId)
    return { account: accountId, counts, keys }
  }).pipe(withAccount(accountId))
})
