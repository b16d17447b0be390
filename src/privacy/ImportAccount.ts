/* Imports an exported account into this database: all of the file, or nothing of it. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AccountId } from "../domain/Scope.ts"
import { withAccount } from "../sql/AccountScope.ts"
import { beforeBaseline } from "../sql/Migrations.ts"
import { isRefusal } from "../sql/Transient.ts"
import { type AccountTable, accountTables, exported } from "./AccountTables.ts"
import type { Progress } from "./ExportAccount.ts"
import { eachBatch, type ImportRefused, type ReadRow, refuse } from "./ReadAccountFile.ts"

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

interface Imported {
  readonly account: string
  /** Number of new rows by kind; rows that existed stay unchanged. */
  readonly counts: Readonly<Record<string, number>>
  /** Number of keys in the file. None of them works here, since their secrets are not in it. */
  readonly keys: number
}

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

/**
 * Inserts rows of one table that are not there, in the order of a JSON array of objects with these columns;
 * yields how many.
 */
const insertRows = Effect.fnUntraced(function*(
  accountId: AccountId,
  table: string,
  columnNames: ReadonlyArray<string>,
  json: string
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.csv(columnNames.map((column) => sql`${sql(column)}`))
  const written = yield* sql`insert into ${sql(table)} (account_id, ${columns})
    select ${accountId}::text, ${columns}
    from json_populate_recordset(null::${sql(table)}, ${json}::text::json)
    on conflict do nothing returning true as written`
  return written.length
})

const insert = (accountId: AccountId, rows: ReadonlyArray<ReadRow>) => {
  const [first] = rows
  return first === undefined ? Effect.succeed(0) : insertRows(
    accountId, first.kind, Object.keys(first.row), JSON.stringify(rows.map(({ row }) => row))
  )
}

/** {@link insertRows}; when the database refuses a value, the failure names the line of the file. */
const insertNamed = (
  accountId: AccountId,
  rows: ReadonlyArray<ReadRow>
): Effect.Effect<number, SqlError.SqlError | ImportRefused, SqlClient.SqlClient> =>
  // A savepoint: after a refusal the transaction stays usable.
  SqlClient.SqlClient.use((sql) => sql.withTransaction(insert(accountId, rows))).pipe(
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
const requireEmpty = Effect.fnUntraced(function*(
  accountId: AccountId,
  tables: ReadonlyArray<AccountTable>
) {
  const sql = yield* SqlClient.SqlClient
  for (const { name } of tables.filter((table) => table.name !== "account_setting")) {
    const rows = yield* sql`select 1 as some from ${sql(name)} where account_id = ${accountId} limit 1`
    if (rows.length > 0) return yield* new AccountInUse({ account: accountId, table: name })
  }
})

/** Makes running copies load the lanes again. */
const announce = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update lane set version = version + 1, rewritten_version = version + 1
    where account_id = ${accountId}`
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
  const applied = yield* sql<{ readonly name: string }>`select name from sextant_migration`
  const own = new Set([...applied.map(({ name }) => name), ...beforeBaseline])
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
