/* The checks of `sextant doctor --deep`: which tables and B-tree indexes cannot be read. */
import { Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { codeOf } from "../../sql/Transient.ts"
import type { AppConfig } from "../Config.ts"
import { withProgress } from "../Progress.ts"
import { storage } from "../Storage.ts"
import { type Check, fail, ok, warn } from "./Check.ts"
import { errorLine } from "./ErrorLine.ts"

/** Where the functions of the extension `amcheck` are: installed, or created for one check. */
interface Amcheck {
  readonly schema: string
  readonly isInstalled: boolean
}

/** `amcheck` where it is installed, or where this role may create it and roll that back; null without. */
const findAmcheck = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<Amcheck>`select coalesce(extnamespace::regnamespace::text, 'public') as schema,
      extname is not null as "isInstalled"
    from pg_roles left join pg_extension on extname = 'amcheck'
    where rolname = current_user and rolsuper and (extname is not null or not pg_is_in_recovery()
      and exists (select from pg_available_extensions where name = 'amcheck'))`
  return found ?? null
})

/** A table, partition or materialized view; with amcheck, tables of long values (TOAST) and indexes too. */
interface Relation {
  readonly oid: number
  readonly name: string
  readonly isIndex: boolean
  readonly bytes: number
}

/** What can be read of the database, catalogs included; the largest last, so that progress shows early. */
const relations = (amcheck: Amcheck | null) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<Relation>`
      select c.oid::int8::float8 as oid, c.oid::regclass::text as name, c.relkind = 'i' as "isIndex",
        pg_relation_size(c.oid)::float8 as bytes
      from pg_class c
      left join pg_am am on am.oid = c.relam
      left join pg_index i on i.indexrelid = c.oid
      where c.relpersistence <> 't' and pg_relation_size(c.oid) > 0 and (c.relkind in ('r', 'm')
        or ${amcheck !== null} and (c.relkind = 't'
          or c.relkind = 'i' and am.amname = 'btree' and i.indisvalid and i.indisready))
      order by bytes, name`)

/** Carries a value out of a transaction that is rolled back. */
class Unchanged<A> extends Data.TaggedError("Unchanged")<{ readonly value: A }> {}

/**
 * Runs a check in a transaction that is rolled back always. It has no time limit except for locks: a check
 * needs only the lock of a reader, so waiting 5 s for one means that another session holds it exclusively.
 */
const unchanging = <A, E>(check: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '5s', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`.pipe(
      Effect.andThen(check),
      Effect.flatMap((value) => Effect.fail(new Unchanged({ value }))),
      sql.withTransaction,
      Effect.catchIf((error): error is Unchanged<A> => error instanceof Unchanged, ({ value }) =>
        Effect.succeed(value))
    ))

/** By `amcheck`; yields the first damage that it names. */
const byAmcheck = ({ isIndex, oid }: Relation, { isInstalled, schema }: Amcheck) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    if (!isInstalled) yield* sql`create extension amcheck with schema public`
    const check = (name: string) => sql.literal(`${schema}.${name}`)
    const relation = sql`${oid}::int8::oid::regclass`
    if (isIndex) {
      yield* sql`select ${check("bt_index_check")}(${relation})`
      return null
    }
    const [first] = yield* sql<{ readonly says: string }>`select format('block %s: %s', blkno, msg) as says
      from ${check("verify_heapam")}(${relation}) limit 1`
    return first?.says ?? null
  })

/** Reads every row with its long values; no row leaves the server. */
const byScan = ({ name }: Relation) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.as(sql`select sum(length(row::text)) from only ${sql.literal(name)} row`, null))

const lost = "the server ended, or the connection was lost"

const reasons: Readonly<Record<string, string>> = {
  "42501": "this role may not read it", "55P03": "another session holds a lock on it",
  "42P01": "it was dropped meanwhile", "42704": "it was dropped meanwhile"
}

/** Why a relation was not read; null where its failed read means damage. */
const unreadReason = (error: SqlError.SqlError): string | null =>
  // The connection failed, or the server stops, starts, or lacks room or memory.
  error.reason._tag === "ConnectionError" || /^(08|53|57)/.test(codeOf(error))
    ? lost
    : reasons[codeOf(error)] ?? null

/** What reading a relation showed: neither where it is whole. */
interface ReadResult {
  readonly relation: Relation
  readonly damage: string | null
  readonly unread: string | null
}

/** Reads a relation once. */
const read = (relation: Relation, amcheck: Amcheck | null) =>
  unchanging(amcheck === null ? byScan(relation) : byAmcheck(relation, amcheck)).pipe(
    Effect.map((damage): ReadResult => ({ relation, damage, unread: null })),
    Effect.catch((error) => {
      const unread = unreadReason(error)
      const { cause } = error.reason
      const says = cause instanceof Error ? cause.message : error.message
      return Effect.succeed<ReadResult>({ relation, damage: unread === null ? says : null, unread })
    })
  )

/** Whether the server verifies the checksums of pages, and whether any has failed. */
const checksums = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly isOn: boolean; readonly failures: number }>`
    select current_setting('data_checksums') = 'on' as "isOn",
      (select coalesce(sum(checksum_failures), 0)::float8 from pg_stat_database) as failures`
  if (row?.isOn !== true) {
    return warn("checksums", "off: damaged pages on the disk may go unnoticed",
      "stop the server and run pg_checksums --enable")
  }
  return row.failures > 0
    ? warn("checksums", `${row.failures} failed since statistics began`,
      "check the disk; the lines below name what can no longer be read")
    : ok("checksums", "on, and none has failed")
})

const damagedCheck = ({ damage, relation: { isIndex, name } }: ReadResult): Check =>
  fail("damaged", `${name}: ${damage}`, isIndex
    ? `reindex index ${name} if it is the only one; else restore a backup (docs/backup.md)`
    : "check the disk, and restore a backup on another one (docs/backup.md)")

/** A check of relations that were not read for one reason: failed where the server is gone. */
const unreadCheck = (why: string | null, results: ReadonlyArray<ReadResult>): Check => {
  const says = `${results.map(({ relation }) => relation.name).join(", ")}: ${why}`
  return why === lost
    ? fail("unread", says, "run the command again; if the server ends at the same relation, "
      + "restore a backup (docs/backup.md)")
    : warn("unread", says, "run the command again, as a superuser")
}

/** Reads every table and, with amcheck, every B-tree index of the database once. Changes nothing. */
export const deepChecks = (onProgress: (doneBytes: number, totalBytes: number) => void) =>
  Effect.gen(function*() {
    const amcheck = yield* findAmcheck
    const all = yield* relations(amcheck)
    const totalBytes = all.reduce((total, { bytes }) => total + bytes, 0)
    let doneBytes = 0
    const results = yield* Effect.forEach(all, (relation) =>
      Effect.tap(read(relation, amcheck), () =>
        Effect.sync(() => onProgress(doneBytes += relation.bytes, totalBytes))))
    const damaged = results.filter(({ damage }) => damage !== null)
    const unread = results.filter(({ unread }) => unread !== null)
    const says = `${all.length - unread.length} read ${amcheck === null ? "without" : "with"} amcheck, `
      + `${(totalBytes / 1e6).toFixed(1)} MB`
    const whole = amcheck === null
      ? warn("tables", `${says}; no index`, "run the command as a superuser, on a server with amcheck")
      : ok("tables and indexes", says)
    return [
      yield* checksums,
      ...damaged.length === 0 ? [whole] : damaged.map(damagedCheck),
      ...[...Map.groupBy(unread, ({ unread }) => unread)].map(([why, of]) => unreadCheck(why, of))
    ]
  })

/** {@link deepChecks} of the configured database; one that cannot be reached is a failed check. */
export const runDeepChecks = (config: AppConfig) =>
  withProgress("Reading the database", deepChecks).pipe(
    Effect.provide(storage(config, "ignore")),
    Effect.catch((error) => Effect.succeed<ReadonlyArray<Check>>([
      fail("tables and indexes", errorLine(error), "see the check above; if the error persists, "
        + "restore a backup (docs/backup.md)")
    ]))
  )
