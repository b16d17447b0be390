/* Reads tables and indexes of a database from their first block to their last, and reports damage. */
import { Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { codeOf, sqlErrorIn } from "../../sql/Transient.ts"

/** A table, partition, index, sequence, or table of long values (TOAST). */
export interface Relation {
  readonly oid: number
  readonly name: string
  /** As `pg_class.relkind`: `r` table, `t` long values, `m` materialized view, `S` sequence, `i` index. */
  readonly kind: string
  readonly isBtree: boolean
  readonly bytes: number
  readonly blocks: number
  /** The table of an index, its columns in order, and the condition of a partial one; null for others. */
  readonly table: string | null
  readonly columns: string | null
  readonly condition: string | null
}

/** All relations of the database, catalogs included; the largest last, so that progress shows early. */
export const relations = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Relation>`
    select c.oid::int8::float8 as oid, c.oid::regclass::text as name, c.relkind::text as kind,
      coalesce(am.amname = 'btree' and i.indisvalid and i.indisready, false) as "isBtree",
      pg_relation_size(c.oid)::float8 as bytes,
      (pg_relation_size(c.oid) / current_setting('block_size')::int)::float8 as blocks,
      i.indrelid::regclass::text as "table", pg_get_expr(i.indpred, i.indrelid) as condition,
      (select string_agg(pg_get_indexdef(c.oid, n, true), ', ' order by n)
        from generate_series(1, i.indnkeyatts) n) as columns
    from pg_class c
    left join pg_am am on am.oid = c.relam
    left join pg_index i on i.indexrelid = c.oid
    where c.relkind in ('r', 't', 'm', 'S', 'i') and c.relpersistence <> 't' and pg_relation_size(c.oid) > 0
    order by bytes, name`
})

/**
 * Where the functions of the extension `amcheck` are: installed, or created for one check; null without it.
 */
type Amcheck = { readonly schema: string; readonly isInstalled: boolean } | null

/** Finds `amcheck` where it is installed, or where this role may create it and roll that back. */
export const amcheck = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly schema: string | null; readonly mayMake: boolean; readonly mayUse: boolean
  }>`
    select (select extnamespace::regnamespace::text from pg_extension where extname = 'amcheck') as schema,
      rolsuper as "mayUse", rolsuper and not pg_is_in_recovery()
        and exists (select from pg_available_extensions where name = 'amcheck') as "mayMake"
    from pg_roles where rolname = current_user`
  const found: Amcheck = row === undefined || !(row.mayUse && (row.schema !== null || row.mayMake))
    ? null
    : { schema: row.schema ?? "public", isInstalled: row.schema !== null }
  return found
})

/** Blocks that one statement checks, count: about 64 MB, after which progress is reported. */
const blocksAtOnce = 8_192
/** Most complaints of one relation that are reported, count. */
const complaintsMax = 3

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

type Complaints = ReadonlyArray<string>

const byAmcheck = (
  { blocks, bytes, kind, oid }: Relation,
  { isInstalled, schema }: NonNullable<Amcheck>,
  onBytes: (bytes: number) => void
) =>
  unchanging(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    if (!isInstalled) yield* sql`create extension amcheck with schema public`
    const check = (name: string) => sql.literal(`${schema}.${name}`)
    if (kind === "i") {
      yield* sql`select ${check("bt_index_check")}(${oid}::int8::oid::regclass)`
      onBytes(bytes)
      return []
    }
    const complaints: Array<string> = []
    for (let from = 0; from < blocks && complaints.length < complaintsMax; from += blocksAtOnce) {
      const until = Math.min(blocks, from + blocksAtOnce)
      const rows = yield* sql<{ readonly block: number; readonly says: string }>`
        select blkno::int as block, msg as says from ${check("verify_heapam")}(
          ${oid}::int8::oid::regclass, startblock => ${from}::bigint, endblock => ${until - 1}::bigint)
        limit ${complaintsMax}`
      complaints.push(...rows.map(({ block, says }) => `block ${block}: ${says}`))
      onBytes((until - from) * (bytes / blocks))
    }
    return complaints
  }))

/** Reads every row with its long values by a sequential scan; no row leaves the server. */
const byScan = ({ bytes, kind, name }: Relation, onBytes: (bytes: number) => void) =>
  unchanging(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    if (kind === "S") yield* sql`select last_value from ${sql.literal(name)}`
    else {
      for (const scan of ["indexscan", "indexonlyscan", "bitmapscan"]) {
        yield* sql`select set_config(${`enable_${scan}`}, 'off', true)`
      }
      // A TOAST table has no row type, so its values are read by column.
      const bytesOfRow = sql.literal(kind === "t" ? "octet_length(chunk_data)" : "length(row::text)")
      yield* sql`select sum(${bytesOfRow}) from only ${sql.literal(name)} row`
    }
    onBytes(bytes)
    return []
  }))

/** Reads a whole index in its order; null where the planner does not use the index. */
const byOrder = ({ bytes, columns, condition, name, table }: Relation, onBytes: (bytes: number) => void) =>
  unchanging(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    for (const way of ["seqscan", "bitmapscan", "sort", "incremental_sort"]) {
      yield* sql`select set_config(${`enable_${way}`}, 'off', true)`
    }
    const where = condition === null ? "" : `where ${condition}`
    const query = sql.literal(
      `select count(*) from (
        select 1 from only ${table ?? ""} ${where} order by ${columns ?? "1"} offset 0) ordered`)
    const plan = yield* sql<{ readonly "QUERY PLAN": string }>`explain ${query}`
    const scan = ` using ${name.split(".").at(-1) ?? name} on `
    const isUsed = plan.some((row) => row["QUERY PLAN"].includes(scan))
    if (isUsed) yield* sql`${query}`
    onBytes(bytes)
    return isUsed ? [] : null
  }))

/** What reading a relation showed. */
type ReadResult =
  | { readonly kind: "read" }
  /** Its blocks were not read, and why. */
  | { readonly kind: "skipped"; readonly why: string }
  | { readonly kind: "damaged"; readonly complaints: Complaints }

const noRight = "42501"
const isGone = (code: string): boolean => code === "42P01" || code === "42704"
const isBusy = (code: string): boolean => code === "55P03"

/** A failed read means damage, unless the role lacks rights, a lock is held, or the relation was dropped. */
const readResultOf = (error: SqlError.SqlError): ReadResult => {
  const code = codeOf(error)
  if (code === noRight) return { kind: "skipped", why: "this role may not read it" }
  if (isBusy(code)) return { kind: "skipped", why: "another session holds a lock on it" }
  if (isGone(code)) return { kind: "read" }
  const { cause } = error.reason
  return { kind: "damaged", complaints: [cause instanceof Error ? cause.message : error.message] }
}

/**
 * Reads one relation once, by the most thorough check that this role and this server allow. Changes nothing.
 */
export const readRelation = (relation: Relation, found: Amcheck, onBytes: (bytes: number) => void) => {
  const { isBtree, kind } = relation
  const check = (): Effect.Effect<Complaints | null, unknown, SqlClient.SqlClient> => {
    if (kind === "i" && !isBtree) return Effect.succeed(null)
    if (found !== null && kind !== "S") return byAmcheck(relation, found, onBytes)
    return kind === "i" ? byOrder(relation, onBytes) : byScan(relation, onBytes)
  }
  return check().pipe(
    Effect.map((complaints): ReadResult => {
      if (complaints === null) return { kind: "skipped", why: "reading it needs amcheck" }
      return complaints.length === 0 ? { kind: "read" } : { kind: "damaged", complaints }
    }),
    Effect.catch((error) => {
      const refusal = sqlErrorIn(error)
      return refusal === null ? Effect.fail(error) : Effect.succeed(readResultOf(refusal))
    })
  )
}
