/* Imports exported accounts into this database: all of the file, or nothing of it. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AccountId } from "../domain/Scope.ts"
import { withAccountLog } from "../sql/AccountScope.ts"
import { isRefusal } from "../sql/Transient.ts"
import {
  accountsIn, type AccountTable, keyTable, leaveAccount, type RowForms, type Store, storeWith
} from "./AccountTables.ts"
import type { OnRows } from "./ExportAccount.ts"
import { checkFile, eachBatch, type ImportRefused, type NumberedRow, refuse } from "./ReadAccountFile.ts"

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

/** A restore needs a database without accounts. */
export class StoreInUse extends Schema.TaggedError<StoreInUse>()("StoreInUse", {
  account: Schema.String
}) {
  override get message() {
    return `There are accounts in this database already (${this.account}): restore into an empty one. `
      + "Nothing was imported"
  }
}

type ImportFailure = ImportRefused | SqlError.SqlError | Schema.SchemaError

interface ImportRequest {
  readonly path: string
  /** The account to import into; null for the one in the file. */
  readonly accountId: AccountId | null
  /** Whether to add missing rows to an account that has rows. */
  readonly isForced: boolean
}

export interface Imported {
  readonly accounts: ReadonlyArray<AccountId>
  /** Number of new rows by kind; rows that existed stay unchanged. */
  readonly counts: Readonly<Record<string, number>>
  /** Ids of keys in the file that exist here, which stay as they are here. */
  readonly keptKeys: ReadonlyArray<string>
  /**
   * How many rows or values have no place here, by table or column: of an older version, and keys, which name
   * the account, where it gets another name.
   */
  readonly leftOut: Readonly<Record<string, number>>
}

/**
 * Groups rows of one account and kind by their columns, so that columns that a row lacks get their default.
 */
const alike = (rows: ReadonlyArray<NumberedRow>): ReadonlyArray<ReadonlyArray<NumberedRow>> => {
  const groups = new Map<string, Array<NumberedRow>>()
  for (const row of rows) {
    const key = JSON.stringify([row.account, row.kind, Object.keys(row.row).sort()])
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

const insert = (forms: RowForms, accountId: AccountId, given: ReadonlyArray<NumberedRow>) => {
  const [first] = given
  if (first === undefined) return Effect.succeed(0)
  const rows = given.map(({ row }) => row)
  const write = forms[first.kind]?.write
  return write === undefined
    ? insertRows(accountId, first.kind, Object.keys(first.row), JSON.stringify(rows))
    : write(accountId, rows)
}

/** {@link insertRows}; when the database refuses a value, the failure names the line of the file. */
const insertNamed = (
  forms: RowForms,
  accountId: AccountId,
  rows: ReadonlyArray<NumberedRow>
): Effect.Effect<number, SqlError.SqlError | ImportRefused, SqlClient.SqlClient> =>
  // A savepoint: after a refusal the transaction stays usable.
  SqlClient.SqlClient.use((sql) => sql.withTransaction(insert(forms, accountId, rows))).pipe(
    Effect.catchIf(isRefusal, (error) => {
      const [first] = rows
      return rows.length <= 1 || first === undefined
        ? refuse(`the database refuses this ${first?.kind}: ${error.message}`, first?.line ?? null)
        : Effect.forEach(rows, (row) => insertNamed(forms, accountId, [row])).pipe(
          Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0))
        )
    })
  )

/** Those of the keys whose ids the account has already. */
const takenKeys = Effect.fnUntraced(function*(accountId: AccountId, rows: ReadonlyArray<NumberedRow>) {
  const sql = yield* SqlClient.SqlClient
  const taken = yield* sql<{ readonly id: string }>`select key_id as id from ${sql(keyTable)}
    where account_id = ${accountId}`
  const ids = new Set(taken.map(({ id }) => id))
  return rows.map(({ row }) => String(row["key_id"])).filter((id) => ids.has(id))
})

/** The table of accounts' logs, which has a row of an account once someone has looked at its log. */
const logTable = "account_log"

/** Tables whose rows make no account used. */
const ofUnused: ReadonlyArray<string> = [logTable, "account_setting", keyTable]

/** Fails when the account has rows of any use. */
const requireEmpty = Effect.fnUntraced(function*(
  accountId: AccountId,
  tables: ReadonlyArray<AccountTable>
) {
  const sql = yield* SqlClient.SqlClient
  for (const { name } of tables.filter((table) => !ofUnused.includes(table.name))) {
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
 * Work on an account's rows, which comes before its next report or after its last: the first such work of an
 * import takes the lock of the account's log, and the import's transaction keeps it. It stands outside the
 * savepoints of rows, with one of which it would be given back. A restore has several accounts in one
 * transaction, so that the one before is left.
 */
const inLog = (accountId: AccountId) =>
<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.andThen(leaveAccount, withAccountLog(accountId, 0)(() => work))

/** Imports a file that was found valid, inside a transaction. */
const importRows = Effect.fnUntraced(function*(
  path: string,
  store: Store,
  accountOf: (account: string) => AccountId,
  report: OnRows,
  forms: RowForms
) {
  const counts: Record<string, number> = {}
  const keptKeys: Array<string> = []
  let foreignKeys = 0
  const { leftOut, sections } = yield* eachBatch(path, store, report, (rows) =>
    Effect.forEach(alike(rows), Effect.fnUntraced(function*(group) {
      const { account = "", kind = "" } = group[0] ?? {}
      const accountId = accountOf(account)
      if (kind === keyTable) {
        // A key works under the account alone that is named in it.
        if (accountId !== account) return void (foreignKeys += group.length)
        yield* leaveAccount
        keptKeys.push(...yield* takenKeys(accountId, group))
      }
      const inserted = insertNamed(forms, accountId, group)
      counts[kind] = (counts[kind] ?? 0)
        + (yield* kind === keyTable ? inserted : inLog(accountId)(inserted))
    }), { discard: true }))
  const accounts = sections.map(({ account }) => accountOf(account))
  for (const accountId of accounts) yield* inLog(accountId)(announce(accountId))
  const imported: Imported = {
    accounts,
    counts,
    keptKeys,
    leftOut: foreignKeys === 0 ? leftOut : { ...leftOut, [keyTable]: foreignKeys }
  }
  return imported
})

/**
 * Imports an exported account in one transaction, after every line has been read and found valid. A row that
 * exists stays unchanged, so that an import may be repeated.
 */
export const importAccount = Effect.fnUntraced(function*(
  { accountId: given, isForced, path }: ImportRequest,
  report: OnRows,
  forms: RowForms
): Effect.fn.Return<Imported, ImportFailure | AccountInUse, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const store = yield* storeWith(forms)
  const { isBackup, sections } = yield* checkFile(path, store, () => {})
  if (isBackup) return yield* refuse("it is a backup: run `sextant restore`, into an empty database")
  const accountId = given ?? AccountId.make(sections[0]?.account ?? "")
  return yield* sql.withTransaction(Effect.gen(function*() {
    if (!isForced) yield* requireEmpty(accountId, store.tables).pipe(inLog(accountId))
    return yield* importRows(path, store, () => accountId, report, forms)
  }))
})

/** Imports every account of a file in one transaction, likewise; fails where there are accounts already. */
export const restoreAccounts = Effect.fnUntraced(function*(
  path: string,
  report: OnRows,
  forms: RowForms
): Effect.fn.Return<Imported, ImportFailure | StoreInUse, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const store = yield* storeWith(forms)
  yield* checkFile(path, store, () => {})
  return yield* sql.withTransaction(Effect.gen(function*() {
    const tables = store.tables.filter(({ name }) => name !== logTable)
    const [account] = yield* accountsIn({ ...store, tables })
    if (account !== undefined) return yield* new StoreInUse({ account })
    return yield* importRows(path, store, (account) => AccountId.make(account), report, forms)
  }))
})
