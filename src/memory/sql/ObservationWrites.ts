/* Outcomes as rows: one statement inserts them and raises every counter that they change. */
import { Array as Arr, Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import { batchWrites } from "../../sql/BatchWrites.ts"
import { rowSet } from "../../sql/RowSet.ts"
import type { QuantisedVector } from "../index/VectorRows.ts"
import type { Observation, Taught } from "../MemoryWrite.ts"
import { replaceObservations } from "./ReplacedRows.ts"

/**
 * Takes the lane's next version. Callers that share a statement get the same version, which has grown by as
 * many, because a version must never be below the number of writes. The lane's row stays locked until the
 * transaction ends, so that the versions of a lane commit in order: a reader of one has read all before it.
 */
export const nextVersion = batchWrites(Effect.fnUntraced(function*(
  scopes: Arr.NonEmptyReadonlyArray<LaneId>
) {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = scopes[0]
  const lanes = scopes.map(({ lane }) => lane)
  // In one order, lest two transactions wait for each other's lanes.
  const rows = yield* sql<{ lane: string; version: number }>`insert into lane (account_id, lane, version)
    select ${accountId}::text, name, count(*) from unnest(${lanes}::text[]) as each (name)
    group by name order by name
    on conflict (account_id, lane) do update set version = lane.version + excluded.version
    returning lane, version::float8 as version`
  const versions = new Map(rows.map(({ lane, version }) => [lane, version]))
  return ({ lane }: LaneId) => versions.get(lane) ?? 0
}))

/** A lower share is written as 0: PostgreSQL fails on underflow, and reflections multiply three shares. */
const shareMin = 1e-100
const shareOf = (share: number): number => share > 0 && share < shareMin ? 0 : share

/** An outcome with what its statement needs. */
interface NewObservation {
  readonly observation: Observation
  readonly teaches: boolean
  readonly version: number
  readonly embedder: string
  readonly vector: QuantisedVector | null
  /** Taught outcomes of a lane between two reflections. */
  readonly reflectionEvery: number
}

const columns = `position int, lane text, observation_id uuid, version bigint, teaches boolean,
  task_type text, difficulty text, cluster text, tags text[], user_id text, model_id text, outcome text,
  quality float8, provenance text, provenance_weight float8, propensity float8, input_tokens float8,
  output_tokens float8, cost_usd float8, latency_ms float8, occurred_at timestamptz, embedder text,
  scale real, vector text, reflection_every int, revision bigint, verdict_revision bigint,
  is_cost_outlier boolean`

const rowOf = (
  { embedder, observation, reflectionEvery, teaches, vector, version }: NewObservation,
  position: number
) => ({
  position,
  lane: observation.lane,
  observation_id: observation.observationId,
  version,
  teaches,
  task_type: observation.taskType,
  difficulty: observation.difficulty,
  cluster: observation.cluster,
  tags: observation.tags,
  user_id: observation.userId,
  model_id: observation.modelId,
  outcome: observation.outcome,
  quality: shareOf(observation.quality),
  provenance: observation.provenance,
  provenance_weight: shareOf(observation.provenanceWeight),
  propensity: observation.propensity,
  input_tokens: observation.inputTokens,
  output_tokens: observation.outputTokens,
  cost_usd: observation.costUsd,
  latency_ms: observation.latencyMs,
  occurred_at: observation.occurredAt,
  embedder,
  scale: vector?.scale ?? null,
  vector: vector === null ? null : Buffer.from(vector.vector).toString("base64"),
  reflection_every: reflectionEvery,
  revision: observation.revision ?? 0,
  verdict_revision: observation.verdictRevision ?? 0,
  is_cost_outlier: observation.isCostOutlier ?? false
})

/** A stored outcome: its record, its lane's count of taught outcomes, whether it made a reflection due. */
interface WrittenRow {
  readonly id: string
  readonly lane: string
  readonly recordId: string | null
  readonly laneTaught: number | null
  readonly isDue: boolean | null
}

/** Of an outcome's lane and id. */
const keyOf = (lane: string, id: string): string => `${id.toLowerCase()} ${lane}`

/** Columns of `observation` beside the account that a row of `columns` fills. */
const observationColumns = `lane, observation_id, version, teaches, task_type, difficulty,
      cluster, tags, user_id, model_id, outcome, quality, provenance, provenance_weight, propensity,
      input_tokens, output_tokens, cost_usd, latency_ms, occurred_at, revision, verdict_revision,
      is_cost_outlier`

/** Assignments that add a row's sums and counts to those of the record that is there. */
const addedSums = [
  "outcomes", "taught", "successes", "quality_sum", "weight_sum", "cost_usd_sum", "cost_usd_count",
  "input_tokens_sum", "input_tokens_count", "output_tokens_sum", "output_tokens_count", "latency_ms_sum",
  "latency_ms_count"
].map((column) => `${column} = outcome_record.${column} + excluded.${column}`).join(", ")

/**
 * Adds the inserted outcomes, `fresh`, to the records of their clusters and models: sums, counts, and the
 * last value of each measurement in the order of `given`. Yields a row for each record.
 */
const addToRecords = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`insert into outcome_record (account_id, lane, cluster, model_id, record_id, outcomes, taught, successes,
      quality_sum, weight_sum, cost_usd_sum, cost_usd_count, input_tokens_sum, input_tokens_count,
      output_tokens_sum, output_tokens_count, latency_ms_sum, latency_ms_count, last_cost_usd,
      last_input_tokens, last_output_tokens, last_quality, updated_at)
    select f.account_id, f.lane, f.cluster, f.model_id, gen_random_uuid(), count(*), sum(f.teaches::int),
      sum((f.teaches and f.outcome = 'success')::int),
      sum(f.teaches::int * f.quality * f.provenance_weight), sum(f.teaches::int * f.provenance_weight),
      coalesce(sum(f.cost_usd), 0), count(f.cost_usd),
      coalesce(sum(f.input_tokens), 0), count(f.input_tokens),
      coalesce(sum(f.output_tokens), 0), count(f.output_tokens),
      coalesce(sum(f.latency_ms), 0), count(f.latency_ms),
      (array_agg(f.cost_usd order by position desc) filter (where f.cost_usd is not null))[1],
      (array_agg(f.input_tokens order by position desc) filter (where f.input_tokens is not null))[1],
      (array_agg(f.output_tokens order by position desc) filter (where f.output_tokens is not null))[1],
      (array_agg(f.quality order by position desc) filter (where f.teaches))[1], max(f.occurred_at)
    from fresh f join given using (lane, observation_id)
    group by f.account_id, f.lane, f.cluster, f.model_id
    order by f.lane, f.cluster, f.model_id
    on conflict (account_id, lane, cluster, model_id) do update set
      ${sql.literal(addedSums)},
      last_cost_usd = coalesce(excluded.last_cost_usd, outcome_record.last_cost_usd),
      last_input_tokens = coalesce(excluded.last_input_tokens, outcome_record.last_input_tokens),
      last_output_tokens = coalesce(excluded.last_output_tokens, outcome_record.last_output_tokens),
      last_quality = coalesce(excluded.last_quality, outcome_record.last_quality),
      updated_at = greatest(excluded.updated_at, outcome_record.updated_at)
    returning lane, cluster, model_id, record_id`

/**
 * Inserts outcomes that are not stored and raises their counters, in one statement. The key of a due
 * reflection names its outcome beside the lane's count: a lane can reach the same count again after outcomes
 * were deleted.
 *
 * Parameters: the account, and a row of `columns` for each outcome. Result: a row for each inserted outcome,
 * with the id of its record, the lane's count after it, and whether it made a reflection due.
 */
const insertNew = Effect.fnUntraced(function*(
  news: Arr.NonEmptyReadonlyArray<NewObservation>
): Effect.fn.Return<ReadonlyArray<WrittenRow>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = news[0].observation
  return yield* sql<WrittenRow>`with given as (
    select * from ${rowSet(sql, "given", columns, news.map(rowOf))}
  ), fresh as (
    insert into observation (account_id, ${sql.literal(observationColumns)})
    select ${accountId}::text, ${sql.literal(observationColumns)}
    from given order by position
    on conflict do nothing
    returning *
  ), placed as (
    insert into observation_vector (account_id, lane, observation_id, embedder, scale, vector)
    select ${accountId}::text, lane, observation_id, embedder, scale, decode(vector, 'base64')
    from fresh join given using (lane, observation_id) where vector is not null
  ), record as (
    ${addToRecords(sql)}
  ), counted as (
    update lane set taught = lane.taught + added.taught
    from (select lane, sum(teaches::int) as taught from fresh group by lane) as added
    where lane.account_id = ${accountId} and lane.lane = added.lane
    returning lane.lane, lane.taught - added.taught as before
  ), numbered as (
    select f.lane, f.observation_id, f.cluster, f.model_id, f.teaches, f.provenance, f.outcome,
      given.reflection_every,
      counted.before + sum(f.teaches::int) over (partition by f.lane order by given.position) as lane_taught
    from fresh f join given using (lane, observation_id) join counted using (lane)
  ), due as (
    insert into reflection (account_id, lane, crossing, observation_id)
    select ${accountId}::text, lane, crossing, observation_id
    from numbered, lateral (values
      ('taught:' || lane_taught || ':' || observation_id, lane_taught % reflection_every = 0),
      ('gate:' || observation_id, provenance = 'gate' and outcome = 'failure')
    ) as cause (crossing, is_cause)
    where teaches and is_cause
    on conflict do nothing
    returning lane, observation_id
  )
  select observation_id::text as id, lane, record_id::text as "recordId", lane_taught::float8 as "laneTaught",
    exists (select from due d where d.lane = n.lane and d.observation_id = n.observation_id) as "isDue"
  from numbered n join record using (lane, cluster, model_id)`
})

/** The answers to repeats: the record and the lane as they are now, found by the stored outcome. */
const storedAnswers = Effect.fnUntraced(function*(
  news: Arr.NonEmptyReadonlyArray<NewObservation>
): Effect.fn.Return<ReadonlyArray<WrittenRow>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = news[0].observation
  return yield* sql<WrittenRow>`select o.observation_id::text as id, o.lane, r.record_id::text as "recordId",
      l.taught::float8 as "laneTaught",
      exists (select from reflection f where f.account_id = o.account_id and f.lane = o.lane
        and f.observation_id = o.observation_id) as "isDue"
    from ${rowSet(sql, "given", columns, news.map(rowOf))}
    join observation o using (lane, observation_id)
    join outcome_record r on r.account_id = o.account_id and r.lane = o.lane and r.cluster = o.cluster
      and r.model_id = o.model_id
    join lane l on l.account_id = o.account_id and l.lane = o.lane
    where o.account_id = ${accountId}`
})

/**
 * Writes outcomes. An outcome that is stored already is replaced by one of a higher revision; any other
 * repeat changes nothing, and is answered with what is stored.
 */
const insertObservations = Effect.fnUntraced(function*(
  news: Arr.NonEmptyReadonlyArray<NewObservation>
) {
  const { accountId } = news[0].observation
  const written = yield* insertNew(news)
  const isNew = new Set(written.map(({ id, lane }) => keyOf(lane, id)))
  const others = news.filter(({ observation: { lane, observationId } }) =>
    !isNew.has(keyOf(lane, observationId)))
  const repeated = Arr.isReadonlyArrayNonEmpty(others)
    ? yield* Effect.andThen(replaceObservations(accountId, columns, others.map(rowOf)), storedAnswers(others))
    : []
  const byKey = new Map([...repeated, ...written].map((row) => [keyOf(row.lane, row.id), row]))
  return ({ observation: { lane, observationId } }: NewObservation): Taught => {
    const row = byKey.get(keyOf(lane, observationId))
    return {
      recordId: row?.recordId ?? "",
      laneTaught: row?.laneTaught ?? 0,
      reflectionTriggered: row?.isDue ?? false
    }
  }
})

/** {@link insertObservations}, for one outcome at a time. */
export const insertObservation = batchWrites(insertObservations)
