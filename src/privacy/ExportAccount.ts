/* Exports the rows of one account or of all accounts, in one snapshot. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import type { AccountId } from "../domain/Scope.ts"
import { version as serviceVersion } from "../domain/Version.ts"
import { withAccount } from "../sql/AccountScope.ts"
import { type BackupHeader, fileFormat, type Header, type Section } from "./AccountFile.ts"
import { accountsIn, keyTable, leaveAccount, type RowForms, type Store, storeWith } from "./AccountTables.ts"

const fetchedRows = 500

/** The effect completes when the line was accepted. */
export type WriteLine<E> = (line: string) => Effect.Effect<void, E>

/** Receives the number of rows that are done, and the total number, which is null if unknown. */
export type OnRows = (done: number, of: number | null) => void

/** Reports are exported in the order of their log, because an import writes them in this order. */
const orderOf = (table: string): string => table === "report" ? "order by revision" : ""

/** A row as JSON text. The text is parsed only if necessary, so that numbers keep all digits. */
interface RowText {
  readonly row: string
}

const headerOf = Effect.fnUntraced(function*(
  accountId: AccountId,
  { schema }: Store,
  counts: Header["counts"]
) {
  const sql = yield* SqlClient.SqlClient
  const [server] = yield* sql<{ readonly version: string; readonly at: string }>`
    select current_setting('server_version') as version,
      to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`
  const header: Header = {
    kind: "sextant-account",
    format: fileFormat,
    account: accountId,
    exported_at: server?.at ?? "",
    service_version: serviceVersion,
    postgresql: server?.version ?? "",
    schema,
    counts
  }
  return header
})

const writeAccount = Effect.fnUntraced(function*<E>(
  accountId: AccountId,
  store: Store,
  write: WriteLine<E>,
  report: OnRows,
  forms: RowForms
): Effect.fn.Return<Section, E | SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* leaveAccount
  const keys = yield* sql<RowText>`select (to_jsonb(k) - 'account_id')::text as row from ${sql(keyTable)} k
    where account_id = ${accountId} order by created_at, key_id`
  return yield* Effect.gen(function*() {
    const tables = store.tables.filter(({ name }) => name !== keyTable)
    const counts: Record<string, number> = { [keyTable]: keys.length }
    for (const { name } of tables) {
      const [counted] = yield* sql<{ readonly rows: number }>`select count(*)::float8 as rows
        from ${sql(name)} where account_id = ${accountId}`
      counts[name] = counted?.rows ?? 0
    }
    const digest = createHash("sha256")
    const writeLine = (line: string) => {
      digest.update(`${line}\n`)
      return write(line)
    }
    const of = Object.values(counts).reduce((sum, count) => sum + count, 0)
    let done = 0
    const writeRows = Effect.fnUntraced(function*(kind: string, rows: ReadonlyArray<RowText>) {
      const start = `{"kind":${JSON.stringify(kind)},"version":${store.schema.length},"row":`
      const rowOf = forms[kind]?.file?.rowOf
      for (const { row } of rows) {
        yield* writeLine(`${start}${rowOf === undefined ? row : JSON.stringify(rowOf(JSON.parse(row)))}}`)
      }
      done += rows.length
      report(done, of)
    })
    yield* writeLine(JSON.stringify(yield* headerOf(accountId, store, counts)))
    yield* writeRows(keyTable, keys)
    const cursor = sql("sextant_export")
    for (const { name } of tables.filter((table) => counts[table.name] !== 0)) {
      yield* sql`declare ${cursor} no scroll cursor for
        select (to_jsonb(t) - 'account_id')::text as row from ${sql(name)} t
        where account_id = ${accountId} ${sql.literal(orderOf(name))}`
      for (let length = fetchedRows; length === fetchedRows;) {
        const rows = yield* sql<RowText>`fetch ${sql.literal(String(fetchedRows))} from ${cursor}`
        yield* writeRows(name, rows)
        length = rows.length
      }
      yield* sql`close ${cursor}`
    }
    const sha256 = digest.digest("hex")
    yield* write(JSON.stringify({ kind: "end", sha256 }))
    return { account: accountId, counts, sha256 }
  }).pipe(withAccount(accountId))
})

/**
 * Writes accounts as the lines that `AccountFile` defines, from one snapshot.
 * @param accountId null for a backup of all accounts, which only the owner of the tables can read
 */
export const exportAccounts = Effect.fnUntraced(function*<E>(
  accountId: AccountId | null,
  write: WriteLine<E>,
  report: OnRows,
  forms: RowForms
): Effect.fn.Return<
  ReadonlyArray<Section>,
  E | SqlError.SqlError | Schema.SchemaError,
  SqlClient.SqlClient
> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql`set transaction isolation level repeatable read, read only`
    const store = yield* storeWith(forms)
    if (accountId !== null) return [yield* writeAccount(accountId, store, write, report, forms)]
    const accounts = yield* accountsIn(store)
    const header: BackupHeader = { kind: "sextant-backup", format: fileFormat, accounts }
    yield* write(JSON.stringify(header))
    return yield* Effect.forEach(accounts, (each) => writeAccount(each, store, write, report, forms))
  }))
})
