/* Imports exported accounts into this database, in one transaction. */
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

/** The error of an import, without `isForced`, into an account that has data. */
export class AccountInUse extends Schema.TaggedError<AccountInUse>()("AccountInUse", {
  account: Schema.String,
  table: Schema.String
}) {
  override get message() {
    return `${this.account} has rows in ${this.table} already: import into another account with --instance,`
      + " or add what is missing with --force"
  }
}

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
  /** The account that gets the rows; null for the account that the file names. */
  readonly accountId: AccountId | null
  /** True to add missing rows to an account that already has rows. */
  readonly isForced: boolean
}

export interface Imported {
  readonly accounts: ReadonlyArray<AccountId>
  /** Number of new rows of each kind. */
  readonly counts: Readonly<Record<string, number>>
  /** Ids of keys in the file that already exist in this database. These keys stay unchanged. */
  readonly keptKeys: ReadonlyArray<string>
  /**
   * Numbers of rows by table, and of values by column, whose table or column this database lacks. Keys are
   * left out if the account gets another name, because a key contains the account's name.
   */
  readonly leftOut: Readonly<Record<string, number>>
}

/** Groups rows by columns, so that an insertion names only the columns that all its rows have. */
const alike = (rows: ReadonlyArray<NumberedRow>): ReadonlyArray<ReadonlyArray<NumberedRow>> =>
  [...Map.groupBy(rows, ({ account, kind, row }) =>
    JSON.stringify([account, kind, Object.keys(row).sort()])).values()]

/**
 * Inserts the rows that do not exist yet, and yields their number.
 * @param json an array of objects, whose fields are the columns
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

/** If the database refuses a value, the failure names the line of the file. */
const insertNamed = (
  forms: RowForms,
  accountId: AccountId,
  rows: ReadonlyArray<NumberedRow>
): Effect.Effect<number, SqlError.SqlError | ImportRefused, SqlClient.SqlClient> =>
  // The nested transaction is a savepoint, so that the outer transaction can continue after a refusal.
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

const takenKeys = Effect.fnUntraced(function*(accountId: AccountId, rows: ReadonlyArray<NumberedRow>) {
  const sql = yield* SqlClient.SqlClient
  const taken = yield* sql<{ readonly id: string }>`select key_id as id from ${sql(keyTable)}
    where account_id = ${accountId}`
  const ids = new Set(taken.map(({ id }) => id))
  return rows.map(({ row }) => String(row["key_id"])).filter((id) => ids.has(id))
})

/** Taking the lock of an account's log inserts a row into `account_log`. */
const logTable = "account_log"

/** Tables whose rows do not stop an import into their account. */
const ofUnused: ReadonlyArray<string> = [logTable, "account_setting", keyTable]

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

/** Makes running processes load the account's lanes again. */
const announce = Effect.fnUntraced(function*(accountId: AccountId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update lane set version = version + 1, rewritten_version = version + 1
    where account_id = ${accountId}`
})

/**
 * Runs work under the lock of the account's log, so that no report is stored in between. The lock must be
 * taken outside of the savepoints for rows, because rolling back a savepoint would release it.
 */
const inLog = (accountId: AccountId) =>
<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.andThen(leaveAccount, withAccountLog(accountId, 0)(() => work))

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
        // A key contains the name of its account, and works for that account alone.
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

/** Imports in one transaction after all checks. Existing rows stay, so a forced import may be repeated. */
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

/** Fails with {@link StoreInUse} if the database already has accounts. */
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
