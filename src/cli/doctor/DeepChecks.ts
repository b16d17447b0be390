/* The checks of `sextant doctor --deep`: whether every table and index can be read, and which cannot. */
import { Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { codeOf, sqlErrorIn } from "../../sql/Transient.ts"
import type { AppConfig } from "../Config.ts"
import { withProgress } from "../Progress.ts"
import { storage } from "../Storage.ts"
import { type Check, fail, ok, warn } from "./Check.ts"
import { errorLine } from "./ErrorLine.ts"

/** A table, partition, index, sequence, or table of long values (TOAST). */
interface Relation {
  readonly oid: number
  readonly name: string
  /** As `pg_class.relkind`: `r` table, `t` long values, `m` materialized view, `S` sequence, `i` index. */
  readonly kind: string
  readonly isBtree: boolean
  readonly bytes: number
}

/** All relations of the database, catalogs included; the largest last, so that progress shows early. */
const relations = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql<Relation>`
    select c.oid::int8::float8 as oid, c.oid::regclass::text as name, c.relkind::text as kind,
      coalesce(am.amname = 'btree' and i.indisvalid and i.indisready, false) as "isBtree",
      pg_relation_size(c.oid)::float8 as bytes
    from pg_class c
    left join pg_am am on am.oid = c.relam
    left join pg_index i on i.indexrelid = c.oid
    where c.relkind in ('r', 't', 'm', 'S', 'i') and c.relpersistence <> 't' and pg_relation_size(c.oid) > 0
    order by bytes, name`)

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

/** What reading a relation showed: nothing, its damage, or why it was not read. */
interface ReadResult {
  readonly complaints: ReadonlyArray<string>
  readonly unread: string | null
}

const whole: ReadResult = { complaints: [], unread: null }

/** Most complaints of one relation that are reported, count. */
const complaintsMax = 3

const byAmcheck = ({ kind, oid }: Relation, { isInstalled, schema }: Amcheck) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    if (!isInstalled) yield* sql`create extension amcheck with schema public`
    const check = (name: string) => sql.literal(`${schema}.${name}`)
    if (kind === "i") {
      yield* sql`select ${check("bt_index_check")}(${oid}::int8::oid::regclass)`
      return whole
    }
    const rows = yield* sql<{ readonly says: string }>`
      select format('block %s: %s', blkno, msg) as says
      from ${check("verify_heapam")}(${oid}::int8::oid::regclass) limit ${complaintsMax}`
    return { ...whole, complaints: rows.map(({ says }) => says) }
  })

/** Reads every row with its long values by a sequential scan; no row leaves the server. */
const byScan = ({ kind, name }: Relation) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    for (const scan of ["indexscan", "indexonlyscan", "bitmapscan"]) {
      yield* sql`select set_config(${`enable_${scan}`}, 'off', true)`
    }
    // A sequence has no row type.
    const text = sql.literal(kind === "S" ? "last_value::text" : "row::text")
    yield* sql`select sum(length(${text})) from only ${sql.literal(name)} row`
    return whole
  })

const reasons: Readonly<Record<string, string>> = {
  "42501": "this role may not read it", "55P03": "another session holds a lock on it"
}
const goneCodes = ["42P01", "42704"]

const lost = "the server ended, or the connection was lost"

/** Errors of the connection, of a server that stops or starts, and of one that lacks room or memory. */
const isLost = (error: SqlError.SqlError): boolean =>
  error.reason._tag === "ConnectionError" || /^(08|53|57)/.test(codeOf(error))

/**
 * A failed read means damage, unless the role lacks rights, a lock is held, the relation was dropped, or the
 * server is gone.
 */
const failedRead = (error: SqlError.SqlError): ReadResult => {
  const unread = isLost(error) ? lost : reasons[codeOf(error)] ?? null
  if (unread !== null || goneCodes.includes(codeOf(error))) return { ...whole, unread }
  const { cause } = error.reason
  return { ...whole, complaints: [cause instanceof Error ? cause.message : error.message] }
}

/** Reads a relation once, by the most thorough check that this role and this server allow. */
const read = (
  relation: Relation,
  amcheck: Amcheck | null
): Effect.Effect<ReadResult, unknown, SqlClient.SqlClient> => {
  const { isBtree, kind } = relation
  if (kind === "i" && (amcheck === null || !isBtree)) {
    return Effect.succeed({ ...whole, unread: "reading it needs amcheck" })
  }
  // Without amcheck, long values are read with their rows.
  if (kind === "t" && amcheck === null) return Effect.succeed(whole)
  return unchanging(amcheck === null || kind === "S" ? byScan(relation) : byAmcheck(relation, amcheck)).pipe(
    Effect.catch((error) => {
      const refusal = sqlErrorIn(error)
      return refusal === null ? Effect.fail(error) : Effect.succeed(failedRead(refusal))
    })
  )
}

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

/** Most damaged relations that are listed, and most unread ones that a line names, count. */
const damagedMax = 50
const unreadMax = 3

const repairOf = ({ kind, name }: Relation): string =>
  kind === "i"
    ? `reindex index ${name} if it is the only one; else restore a backup (docs/backup.md)`
    : "check the disk, and restore a backup on another one (docs/backup.md)"

/** A check for each reason why relations were not read: failed where the server is gone. */
const unreadChecks = (results: ReadonlyArray<readonly [Relation, ReadResult]>): ReadonlyArray<Check> => {
  const unread = Map.groupBy(results.filter(([, { unread }]) => unread !== null), ([, { unread }]) => unread)
  return [...unread].map(([why, found]) => {
    const names = found.map(([{ name }]) => name)
    const rest = names.length > unreadMax ? ` and ${names.length - unreadMax} more` : ""
    const says = `${names.slice(0, unreadMax).join(", ")}${rest}: ${why}`
    return why === lost
      ? fail("unread", says, "run the command again; if the server ends at the same relation, "
        + "restore a backup (docs/backup.md)")
      : warn("unread", says, "run the command as a superuser, on a server with the extension amcheck")
  })
}

/** Reads every table and index of the database once. Changes nothing. */
export const deepChecks = (onProgress: (doneBytes: number, totalBytes: number) => void) =>
  Effect.gen(function*() {
    const all = yield* relations
    const amcheck = yield* findAmcheck
    const totalBytes = all.reduce((total, { bytes }) => total + bytes, 0)
    let doneBytes = 0
    const results = yield* Effect.forEach(all, (relation) =>
      Effect.map(read(relation, amcheck), (result) => {
        doneBytes += relation.bytes
        onProgress(doneBytes, totalBytes)
        return [relation, result] as const
      }))
    const damaged = results.filter(([, { complaints }]) => complaints.length > 0)
    const more = damaged.length - damagedMax
    const count = results.filter(([, { unread }]) => unread === null).length
    const how = amcheck === null ? "without amcheck" : "with amcheck"
    const checks: ReadonlyArray<Check> = [
      yield* checksums,
      ...damaged.length === 0
        ? [ok("tables and indexes", `${count} read ${how}, ${(totalBytes / 1e6).toFixed(1)} MB`)]
        : damaged.slice(0, damagedMax).map(([relation, { complaints }]) =>
          fail("damaged", `${relation.name}: ${complaints.join("; ")}`, repairOf(relation))),
      ...more > 0 ? [fail("damaged", `${more} more`, "restore a backup (docs/backup.md)")] : [],
      ...unreadChecks(results)
    ]
    return checks
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
