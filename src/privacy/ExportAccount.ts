/* Exports all rows of one account as of one moment. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import type { AccountId } from "../domain/Scope.ts"
import { version as serviceVersion } from "../domain/Version.ts"
import { withAccount } from "../sql/AccountScope.ts"
import { fileFormat, type Header, keyKind } from "./AccountFile.ts"
import { type AccountTable, accountTables, exported, keyTable } from "./AccountTables.ts"

/** ExportedRows fetched at once, count: some megabytes in memory, however large the account is. */
const fetchedRows = 500

/** Writes a line; completes when the line has been taken. */
export type WriteLine<E> = (line: string) => Effect.Effect<void, E>

export interface Progress {
  readonly kind: string
  readonly done: number
  readonly of: number
}

interface ExportedRows {
  readonly kind: string
  readonly count: number
  readonly each: Effect.Effect<ReadonlyArray<{ readonly row: string }>, SqlError.SqlError>
  readonly open: Effect.Effect<unknown, SqlError.SqlError>
  readonly close: Effect.Effect<unknown, SqlError.SqlError>
}

/** The order in which an import may write the rows again; an outbox in the order of arrival. */
const orderOf = ({ columns, name }: AccountTable): string =>
  name === "outbox" && columns.some((column) => column.name === "position") ? "order by position" : ""

const rowsOf = Effect.fnUntraced(function*(accountId: AccountId, table: AccountTable) {
  const sql = yield* SqlClient.SqlClient
  const mine = sql`from ${sql(table.name)} t where account_id = ${accountId}`
  const [counted] = yield* sql<{ readonly rows: number }>`select count(*)::float8 as rows ${mine}`
  const cursor = sql("sextant_export")
  const order = sql.literal(orderOf(table))
  const rows: ExportedRows = {
    kind: table.name,
    count: counted?.rows ?? 0,
    open: sql`declare ${cursor} no scroll cursor for
      select (to_jsonb(t) - 'account_id')::text as row ${mine} ${order}`,
    each: sql<{ readonly row: string }>`fetch ${sql.literal(String(fetchedRows))} from ${cursor}`,
    close: sql`close ${cursor}`
  }
  return rows
})

/** The keys are read before the account's role, which may not see them, is set; in the same snapshot. */
const keysOf = (accountId: AccountId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly row: string }>`
    select (to_jsonb(k) - array['account_id', 'salt', 'key_hash'])::text as row from ${sql(keyTable)} k
    where account_id = ${accountId} order by created_at, key_id`)

const headerOf = Effect.fnUntraced(function*(
  accountId: AccountId,
  counts: Header["counts"]
) {
  const sql = yield* SqlClient.SqlClient
  const [server] = yield* sql<{ readonly version: string; readonly at: string }>`
    select current_setting('server_version') as version,
      to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`
  const schema = yield* sql<{ readonly name: string }>`
    select name from sextant_migration order by migration_id`
  const header: Header = {
    kind: "sextant-account",
    format: fileFormat,
    account: accountId,
    exported_at: server?.at ?? "",
    service_version: serviceVersion,
    postgresql: server?.version ?? "",
    schema: schema.map(({ name }) => name),
    counts
  }
  return header
})

/**
 * Writes the account's rows as JSON lines: a header with versions and counts, each row with its kind and the
 * version of its schema, and a seal. It reads one snapshot, which blocks no other work; a few hundred rows
 * are in memory at a time. Of keys only their metadata is written. Yields the counts.
 */
export const exportAccount = Effect.fnUntraced(function*<E>(
  accountId: AccountId,
  write: WriteLine<E>,
  report: (progress: Progress) => Effect.Effect<void>
): Effect.fn.Return<Header["counts"], E | SqlError.SqlError | Schema.SchemaError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const digest = createHash("sha256")
  const writeLine = (value: object) => {
    const line = JSON.stringify(value)
    digest.update(`${line}\n`)
    return write(line)
  }
  const written = Effect.gen(function*() {
    yield* sql`set transaction isolation level repeatable read, read only`
    const keys = yield* keysOf(accountId)
    const tables = exported(yield* accountTables)
    const schema = yield* headerOf(accountId, {})
    return yield* Effect.gen(function*() {
      const all = yield* Effect.forEach(tables, (table) => rowsOf(accountId, table))
      const counts = Object.fromEntries(
        [[keyKind, keys.length] as const, ...all.map(({ count, kind }) => [kind, count] as const)]
      )
      const version = schema.schema.length
      // The text of a row is passed on unchanged, so that numbers keep every digit of the database.
      const writeRow = (kind: string, row: string) => {
        const line = `{"kind":${JSON.stringify(kind)},"version":${version},"row":${row}}`
        digest.update(`${line}\n`)
        return write(line)
      }
      yield* writeLine({ ...schema, counts })
      for (const { row } of keys) yield* writeRow(keyKind, row)
      for (const { close, count, each, kind, open } of all) {
        yield* open
        for (let done = 0;;) {
          const rows = yield* each
          for (const { row } of rows) yield* writeRow(kind, row)
          done += rows.length
          yield* report({ kind, done, of: count })
          if (rows.length < fetchedRows) break
        }
        yield* close
      }
      yield* write(JSON.stringify({ kind: "end", sha256: digest.digest("hex") }))
      return counts
    }).pipe(withAccount(accountId))
  })
  return yield* sql.withTransaction(written)
})
