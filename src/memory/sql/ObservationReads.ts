/* Reads outcomes into a lane's index: many at first, and later only those that changed. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { isTrusted } from "../../domain/feedback/Feedback.ts"
import { outcomeColumns, outcomeFieldsOf, storedOutcomeFields } from "../../domain/feedback/OutcomeFields.ts"
import type { LaneId } from "../../domain/Scope.ts"
import type { Cluster } from "../../domain/Task.ts"
import { callAs, withAccount } from "../../sql/AccountScope.ts"
import { withStatementDeadline } from "../../sql/StatementDeadline.ts"
import type { LaneEntry } from "../index/Entry.ts"
import type { LaneIndex } from "../index/LaneIndex.ts"
import type { QuantisedVector } from "../index/QuantisedVector.ts"

/** The shape of a row that can be read. */
const Row = Schema.Struct({
  ...storedOutcomeFields,
  observationId: Schema.String,
  teaches: Schema.Boolean,
  version: Schema.Finite,
  userId: Schema.NullOr(Schema.String),
  isCostOutlier: Schema.Boolean,
  provenance: Schema.String,
  occurredAtMs: Schema.Finite,
  votesUp: Schema.Int,
  votesDown: Schema.Int,
  scale: Schema.NullOr(Schema.Finite),
  vector: Schema.NullOr(Schema.instanceOf(Uint8Array))
})

type Readable = typeof Row.Type & { readonly cluster: Cluster }
const hasRowFields = Schema.is(Row)
const isRow = (row: unknown): row is Readable => hasRowFields(row)

/** Returns true if the row has an id and a version, after which the next page of rows can begin. */
const isPlaced = Schema.is(Schema.Struct({ observationId: Schema.String, version: Schema.Finite }))

const vectorOf = (row: typeof Row.Type, dimensions: number): QuantisedVector | null =>
  row.scale === null || row.vector === null || row.vector.byteLength !== dimensions
    ? null
    : { scale: row.scale, vector: new Int8Array(row.vector) }

const entryOf = (row: Readable): LaneEntry => ({
  ...outcomeFieldsOf(row),
  observationId: row.observationId,
  userId: row.userId,
  isCostOutlier: row.isCostOutlier,
  isWeak: !isTrusted(row.provenance),
  occurredAtMs: row.occurredAtMs,
  votesUp: row.votesUp,
  votesDown: row.votesDown
})

const selectedOutcome = outcomeColumns.map(({ column, field }) => `o.${column} as "${field}"`).join(", ")

/** The place of the last row that was read, with an id because outcomes can have the same version. */
interface Cursor {
  readonly version: number
  readonly observationId: string
}

const firstId = "00000000-0000-0000-0000-000000000000"

const page = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  embedder: string,
  { after, behind, behindMeasured, limit }: {
    readonly after: Cursor
    readonly behind: string
    readonly behindMeasured: string
    readonly limit: number
  }
): Effect.fn.Return<ReadonlyArray<unknown>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select o.observation_id::text as "observationId", o.teaches, o.version::float8 as version,
      ${sql.literal(selectedOutcome)}, o.user_id as "userId", o.is_cost_outlier as "isCostOutlier",
      o.provenance, (extract(epoch from o.occurred_at) * 1000)::float8 as "occurredAtMs",
      o.votes_up as "votesUp", o.votes_down as "votesDown", page.vector_scale::float8 as scale,
      page.vector_bytes as vector
    from outcomes_behind(${accountId}, ${lane}, ${embedder}, ${after.version}, ${after.observationId}::uuid,
      ${behind}::uuid, ${behindMeasured}::uuid, ${limit}) as page, lateral (select (page.outcome).*) as o
    order by o.version, o.observation_id`
})

interface LaneVersions {
  readonly version: number
  /** Version below which an index of the lane must be read anew; 0 if every index may stay. */
  readonly rewritten: number
  /** Time at which the lane was created, which an erasure changes; null if the lane does not exist. */
  readonly since: string | null
}

const laneVersions = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId
): Effect.fn.Return<LaneVersions, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<LaneVersions>`select version::float8 as version,
      rewritten_version::float8 as rewritten, created_at::text as since
    from lane_of(${accountId}, ${lane})`
  return rows[0] ?? { version: 0, rewritten: 0, since: null }
})

/**
 * Returns the newest id that is older than the kind's `rows` newest outcomes; a UUID of zeros if there is no
 * older id. Versions do not show the newest outcomes, because a vote gives an old outcome a new version.
 */
const idBehind = Effect.fnUntraced(function*(
  { accountId, lane }: LaneId,
  kind: "taught" | "telemetry",
  rows: number
): Effect.fn.Return<string, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const behind = yield* sql<{ id: string }>`select o.observation_id::text as id from observation o
    where o.account_id = ${accountId} and o.lane = ${lane}
      and ${kind === "taught" ? sql`o.teaches` : sql`not o.teaches and o.provenance = 'none'
        and num_nonnulls(o.cost_usd, o.output_tokens, o.latency_ms) > 0`}
    order by o.observation_id desc offset ${rows} limit 1`
  return behind[0]?.id ?? firstId
})

/** The time at which the lane of each index was created. */
const beginnings = new WeakMap<LaneIndex, string | null>()

/**
 * Reads a lane's changes since `before.version` into the index `before`; after deletions, makes a new index.
 * Each page has its own statement, so loading a large lane holds no connection for long.
 */
export const refresh = Effect.fnUntraced(function*(
  scope: LaneId,
  before: LaneIndex,
  options: {
    readonly embedder: string
    readonly dimensions: number
    readonly pageRows: number
    /** Time limit of each read of the database, ms. */
    readonly pageMs: number
    readonly rowsMax: number
    readonly create: () => LaneIndex
  }
): Effect.fn.Return<LaneIndex, SqlError.SqlError, SqlClient.SqlClient> {
  const calling = <A>(call: Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>) =>
    call.pipe(callAs(scope.accountId), withStatementDeadline(options.pageMs))
  const inAccount = <A>(read: Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>) =>
    read.pipe(withAccount(scope.accountId), withStatementDeadline(options.pageMs))
  // The version is read before the rows, so all changes up to this version are committed.
  const { rewritten, since, version: target } = yield* calling(laneVersions(scope))
  const isAnother = before.version > 0 && beginnings.get(before) !== since
  if (target <= before.version && !isAnother) return before
  const index = isAnother || (rewritten > before.version && before.version > 0) ? options.create() : before
  beginnings.set(index, since)
  // Each new outcome raises the lane's version by 1, so few new versions mean few new outcomes.
  const isShort = target - index.version <= options.rowsMax
  const behind = isShort ? firstId : yield* inAccount(idBehind(scope, "taught", options.rowsMax))
  const behindMeasured = isShort ? firstId : yield* inAccount(idBehind(scope, "telemetry", options.rowsMax))
  let cursor: Cursor = { version: index.version + 1, observationId: firstId }
  let unreadable = 0
  for (;;) {
    const rows: ReadonlyArray<unknown> = yield* calling(
      page(scope, options.embedder, { after: cursor, behind, behindMeasured, limit: options.pageRows })
    )
    let last: Cursor | null = null
    for (const row of rows) {
      if (isPlaced(row)) last = row
      if (isRow(row)) {
        const vector = vectorOf(row, options.dimensions)
        if (row.teaches) index.upsert(entryOf(row), vector)
        else index.measure(entryOf(row), vector)
      } else unreadable++
    }
    if (rows.length < options.pageRows || last === null) break
    cursor = last
    yield* Effect.yieldNow
  }
  index.version = target
  if (unreadable > 0) {
    yield* Effect.logWarning("Skipped unreadable observations").pipe(
      Effect.annotateLogs({ lane: scope.lane, unreadable })
    )
  }
  return index
})
