// Reads tables and indexes of a database from their first block to their last, and says which are damaged.
import { Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { codeOf, sqlErrorIn } from "../../sql/Transient.ts"

/** Something with blocks of its own: a table, a partition, an index, a table of long values. */
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

/** All of the database, catalogs included, largest last, so that the small ones are told of soon. */
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

/** How the checking functions of `amcheck` are come by: installed, made for the moment, or not at all. */
export type Amcheck = { readonly schema: string; readonly isInstalled: boolean } | null

/** The extension where it is installed, or where this role could install it and take it back. */
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

/** Blocks checked by one statement: some 64 MB, after which there is news of how far it is. */
const blocksAtOnce = 8_192
/** What is said of one relation at most, count. */
const complaintsMax = 3

/** Ends a transaction in which nothing may stay. */
class Unchanged<A> extends Data.TaggedError("Unchanged")<{ readonly value: A }> {}

/**
 * Runs a check in a transaction that is rolled back whatever comes of it. Nothing ends it early but a lock
 * that somebody holds for long: what it needs is the lock of any reader.
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

/** Every row with its long values, by a scan of the table itself; the rows stay in the server. */
const byScan = ({ bytes, kind, name }: Relation, onBytes: (bytes: number) => void) =>
  unchanging(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    if (kind === "S") yield* sql`select last_value from ${sql.literal(name)}`
    else {
      for (const scan of ["indexscan", "indexonlyscan", "bitmapscan"]) {
        yield* sql`select set_config(${`enable_${scan}`}, 'off', true)`
      }
      // A table of long values has no type of rows to read whole.
      const bytesOfRow = sql.literal(kind === "t" ? "octet_length(chunk_data)" : "length(row::text)")
      yield* sql`select sum(${bytesOfRow}) from only ${sql.literal(name)} row`
    }
    onBytes(bytes)
    return []
  }))

/** The whole index in its order, where the planner can be brought to read it; else nothing is said of it. */
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

/** What reading a relation came to. */
export type Outcome =
  | { readonly is: "read" }
  /** Its blocks were not looked at, and why. */
  | { readonly is: "skipped"; readonly why: string }
  | { readonly is: "damaged"; readonly complaints: Complaints }

const noRight = "42501"
const isGone = (code: string): boolean => code === "42P01" || code === "42704"
const isBusy = (code: string): boolean => code === "55P03"

/** What PostgreSQL says when it cannot read: damage, unless it is a lack of rights or another's lock. */
const outcomeOf = (error: SqlError.SqlError): Outcome => {
  const code = codeOf(error)
  if (code === noRight) return { is: "skipped", why: "this role may not read it" }
  if (isBusy(code)) return { is: "skipped", why: "another holds a lock on it" }
  if (isGone(code)) return { is: "read" }
  const { cause } = error.reason
  return { is: "damaged", complaints: [cause instanceof Error ? cause.message : error.message] }
}

/** Reads one relation once, as thoroughly as this role and this server allow. Changes nothing. */
export const readRelation = (relation: Relation, found: Amcheck, onBytes: (bytes: number) => void) => {
  const { isBtree, kind } = relation
  const check = (): Effect.Effect<Complaints | null, unknown, SqlClient.SqlClient> => {
    if (kind === "i" && !isBtree) return Effect.succeed(null)
    if (found !== null && kind !== "S") return byAmcheck(relation, found, onBytes)
    return kind === "i" ? byOrder(relation, onBytes) : byScan(relation, onBytes)
  }
  return check().pipe(
    Effect.map((complaints): Outcome => {
      if (complaints === null) return { is: "skipped", why: "amcheck is needed for it" }
      return complaints.length === 0 ? { is: "read" } : { is: "damaged", complaints }
    }),
    Effect.catch((error) => {
      const refusal = sqlErrorIn(error)
      return refusal === null ? Effect.fail(error) : Effect.succeed(outcomeOf(refusal))
    })
  )
}
