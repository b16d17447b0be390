import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { LaneScope, Observation, Taught } from "./Memory.ts"
import type { QuantisedVector } from "./VectorRows.ts"

/**
 * Takes the lane's next version. The row stays locked until the transaction ends, so versions of a lane
 * commit in order and a reader that has seen one has seen all before it.
 */
export const nextVersion = Effect.fnUntraced(function*(
  { caller: { accountId }, lane }: LaneScope
): Effect.fn.Return<number, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ version: number }>`insert into lane (account_id, lane, version)
    values (${accountId}, ${lane}, 1)
    on conflict (account_id, lane) do update set version = lane.version + 1
    returning version::float8 as version`
  return rows[0]?.version ?? 0
})

/** Below it a share is none: PostgreSQL refuses a product that underflows, and reflections multiply three. */
const shareMin = 1e-100
const shareOf = (share: number): number => share > 0 && share < shareMin ? 0 : share

interface WrittenRow {
  readonly record_id: string | null
  readonly lane_taught: number | null
  readonly is_due: boolean | null
}

/**
 * Inserts the outcome and raises its counters in one statement; a repeat of its id changes nothing. A
 * crossing is named by its outcome as well as by the count, to which a lane comes again after an undo.
 */
export const insertObservation = Effect.fnUntraced(function*(
  observation: Observation,
  options: {
    readonly teaches: boolean
    readonly version: number
    readonly embedder: string
    readonly vector: QuantisedVector | null
    /** Taught outcomes of a lane between two reflections. */
    readonly reflectionEvery: number
  }
): Effect.fn.Return<Taught, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const { caller: { accountId }, lane, cluster, modelId } = observation
  const { vector } = options
  const written = yield* sql<WrittenRow>`with fresh as (
    insert into observation (account_id, lane, observation_id, version, teaches, task_type, difficulty,
      cluster, tags, user_id, model_id, outcome, quality, provenance, provenance_weight, propensity,
      input_tokens, output_tokens,
      cost_usd, latency_ms, occurred_at)
    values (${accountId}, ${lane}, ${observation.observationId}, ${options.version}, ${options.teaches},
      ${observation.taskType}, ${observation.difficulty}, ${cluster}, ${observation.tags}::text[],
      ${observation.userId}, ${modelId}, ${observation.outcome}, ${shareOf(observation.quality)},
      ${observation.provenance},
      ${shareOf(observation.provenanceWeight)}, ${observation.propensity}, ${observation.inputTokens},
      ${observation.outputTokens}, ${observation.costUsd}, ${observation.latencyMs},
      ${observation.occurredAt})
    on conflict do nothing
    returning *
  ), placed as (
    insert into observation_vector (account_id, lane, observation_id, embedder, scale, vector)
    select account_id, lane, observation_id, ${options.embedder}::text, ${vector?.scale ?? 0}::real,
      ${vector?.vector ?? null}::bytea
    from fresh where ${vector !== null}::boolean
  ), record as (
    insert into outcome_record (account_id, lane, cluster, model_id, record_id, outcomes, taught, successes,
      quality_sum, weight_sum, cost_usd_sum, cost_usd_count, input_tokens_sum, input_tokens_count,
      output_tokens_sum, output_tokens_count, latency_ms_sum, latency_ms_count, last_cost_usd,
      last_input_tokens,
      last_output_tokens, last_quality, updated_at)
    select account_id, lane, cluster, model_id, ${randomUUID()}::uuid, 1, teaches::int,
      (teaches and outcome = 'success')::int, teaches::int * quality * provenance_weight,
      teaches::int * provenance_weight, coalesce(cost_usd, 0), (cost_usd is not null)::int,
      coalesce(input_tokens, 0), (input_tokens is not null)::int, coalesce(output_tokens, 0),
      (output_tokens is not null)::int, coalesce(latency_ms, 0), (latency_ms is not null)::int, cost_usd,
      input_tokens, output_tokens, case when teaches then quality end, occurred_at
    from fresh
    on conflict (account_id, lane, cluster, model_id) do update set
      outcomes = outcome_record.outcomes + excluded.outcomes,
      taught = outcome_record.taught + excluded.taught,
      successes = outcome_record.successes + excluded.successes,
      quality_sum = outcome_record.quality_sum + excluded.quality_sum,
      weight_sum = outcome_record.weight_sum + excluded.weight_sum,
      cost_usd_sum = outcome_record.cost_usd_sum + excluded.cost_usd_sum,
      cost_usd_count = outcome_record.cost_usd_count + excluded.cost_usd_count,
      input_tokens_sum = outcome_record.input_tokens_sum + excluded.input_tokens_sum,
      input_tokens_count = outcome_record.input_tokens_count + excluded.input_tokens_count,
      output_tokens_sum = outcome_record.output_tokens_sum + excluded.output_tokens_sum,
      output_tokens_count = outcome_record.output_tokens_count + excluded.output_tokens_count,
      latency_ms_sum = outcome_record.latency_ms_sum + excluded.latency_ms_sum,
      latency_ms_count = outcome_record.latency_ms_count + excluded.latency_ms_count,
      last_cost_usd = coalesce(excluded.last_cost_usd, outcome_record.last_cost_usd),
      last_input_tokens = coalesce(excluded.last_input_tokens, outcome_record.last_input_tokens),
      last_output_tokens = coalesce(excluded.last_output_tokens, outcome_record.last_output_tokens),
      last_quality = coalesce(excluded.last_quality, outcome_record.last_quality),
      updated_at = greatest(excluded.updated_at, outcome_record.updated_at)
    returning record_id
  ), counted as (
    update lane set taught = lane.taught + fresh.teaches::int from fresh
    where lane.account_id = fresh.account_id and lane.lane = fresh.lane
    returning lane.taught
  ), due as (
    insert into reflection (account_id, lane, crossing, observation_id)
    select account_id, fresh.lane, crossing, observation_id
    from fresh, counted, lateral (values
      ('taught:' || counted.taught || ':' || observation_id,
        counted.taught % ${options.reflectionEvery}::int = 0),
      ('gate:' || observation_id, provenance = 'gate' and outcome = 'failure')
    ) as cause (crossing, is_cause)
    where teaches and is_cause
    on conflict do nothing
    returning crossing
  )
  select record_id::text as record_id, taught::float8 as lane_taught, exists (select from due) as is_due
  from record, counted`
  const row = written[0] ?? (yield* standing(observation))
  return {
    recordId: row?.record_id ?? "",
    laneTaught: row?.lane_taught ?? 0,
    reflectionTriggered: row?.is_due ?? false
  }
})

/**
 * What a repeat is answered: the record and the lane as they stand, found by the outcome as it was first
 * told.
 */
const standing = Effect.fnUntraced(function*(
  { caller: { accountId }, lane, observationId }: Observation
): Effect.fn.Return<WrittenRow | undefined, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<WrittenRow>`select r.record_id::text as record_id, l.taught::float8 as lane_taught,
      exists (select from reflection f where f.account_id = o.account_id and f.lane = o.lane
        and f.observation_id = o.observation_id) as is_due
    from observation o
    join outcome_record r using (account_id, lane, cluster, model_id)
    join lane l using (account_id, lane)
    where o.account_id = ${accountId} and o.lane = ${lane} and o.observation_id = ${observationId}`
  return rows[0]
})
