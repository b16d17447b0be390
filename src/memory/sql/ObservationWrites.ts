/* Outcomes as rows: one statement inserts them and raises every counter that they change. */
import { Array as Arr, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import type { TaskVector } from "../../domain/text/TaskText.ts"
import { batchWrites } from "../../sql/BatchWrites.ts"
import { rowSet, wellFormedJson } from "../../sql/RowSet.ts"
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
  /** Null for the lane's own, where the transaction has taken it. */
  readonly version: number | null
  /** Of the built-in embedder, and of others that are written with it. */
  readonly vectors: ReadonlyArray<TaskVector>
  /** Its words, where they are written with it. */
  readonly task?: string | null
  /** Taught outcomes of a lane between two reflections. */
  readonly reflectionEvery: number
}

/** What a row says beside its position. */
export const observationRow = (
  { observation, reflectionEvery, teaches, task = null, vectors, version }: NewObservation
) => ({
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
  time_to_first_token_ms: observation.timeToFirstTokenMs ?? null,
  occurred_at: observation.occurredAt,
  task,
  vectors: vectors.map(({ embedder, scale, vector }) => ({ embedder, scale, vector })),
  reflection_every: reflectionEvery,
  revision: observation.revision ?? 0,
  verdict_revision: observation.verdictRevision ?? 0,
  is_cost_outlier: observation.isCostOutlier ?? false
})

const rowOf = (item: NewObservation, position: number) => ({ position, ...observationRow(item) })

/** A stored outcome: its record, its lane's count of taught outcomes, whether it made a reflection due. */
interface WrittenOutcome {
  readonly recordId: string | null
  readonly laneTaught: number | null
  readonly isDue: boolean | null
}

interface StoredRow extends WrittenOutcome {
  readonly id: string
  readonly lane: string
}

/** Of an outcome's lane and id. */
const keyOf = (lane: string, id: string): string => `${id.toLowerCase()} ${lane}`

/**
 * Inserts outcomes that are not stored and raises their counters, in one statement: `teach_outcomes`. Yields
 * those that were inserted, by the place of each in `news`.
 */
const insertNew = Effect.fnUntraced(function*(
  news: Arr.NonEmptyReadonlyArray<NewObservation>
): Effect.fn.Return<ReadonlyMap<number, WrittenOutcome>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = news[0].observation
  type Placed = WrittenOutcome & { readonly position: number }
  const [row] = yield* sql<{ readonly taught: ReadonlyArray<Placed> }>`
    select teach_outcomes(${accountId}, ${wellFormedJson(news.map(rowOf))}::text::json) as taught`
  return new Map(row?.taught.map((written) => [written.position, written]))
})

/** The columns of an outcome that takes the place of a stored one, with its vector of one embedder. */
const columns = `position int, lane text, observation_id uuid, version bigint, teaches boolean,
  task_type text, difficulty text, cluster text, tags text[], user_id text, model_id text, outcome text,
  quality float8, provenance text, provenance_weight float8, propensity float8, input_tokens float8,
  output_tokens float8, cost_usd float8, latency_ms float8, time_to_first_token_ms float8,
  occurred_at timestamptz, embedder text,
  scale real, vector text, reflection_every int, revision bigint, verdict_revision bigint,
  is_cost_outlier boolean`

const replacementOf = (item: NewObservation, position: number) => {
  const { task: _task, vectors: _vectors, ...row } = rowOf(item, position)
  const [vector] = item.vectors
  return {
    ...row, embedder: vector?.embedder ?? "", scale: vector?.scale ?? null, vector: vector?.vector ?? null
  }
}

/** The answers to repeats: the record and the lane as they are now, found by the stored outcome. */
const storedAnswers = Effect.fnUntraced(function*(
  news: Arr.NonEmptyReadonlyArray<NewObservation>
): Effect.fn.Return<ReadonlyArray<StoredRow>, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = news[0].observation
  return yield* sql<StoredRow>`select o.observation_id::text as id, o.lane, r.record_id::text as "recordId",
      l.taught::float8 as "laneTaught",
      exists (select from reflection f where f.account_id = o.account_id and f.lane = o.lane
        and f.observation_id = o.observation_id) as "isDue"
    from ${rowSet(sql, "given", columns, news.map(replacementOf))}
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
  const inserted = yield* insertNew(news)
  const others = news.filter((_, position) => !inserted.has(position))
  const repeated = Arr.isReadonlyArrayNonEmpty(others)
    ? yield* Effect.andThen(
      replaceObservations(accountId, columns, others.map(replacementOf)),
      storedAnswers(others)
    )
    : []
  const stored = new Map(repeated.map((row) => [keyOf(row.lane, row.id), row]))
  const written = new Map(news.map((item, position) => {
    const { lane, observationId } = item.observation
    return [item, inserted.get(position) ?? stored.get(keyOf(lane, observationId))] as const
  }))
  return (item: NewObservation): Taught => {
    const row = written.get(item)
    return {
      recordId: row?.recordId ?? "",
      laneTaught: row?.laneTaught ?? 0,
      reflectionTriggered: row?.isDue ?? false
    }
  }
})

/** {@link insertObservations}, for one outcome at a time. */
export const insertObservation = batchWrites(insertObservations)
