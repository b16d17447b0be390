/* Votes of feedbacks on past outcomes, as rows. */
import { type Array as Arr, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { batchWrites } from "../../sql/BatchWrites.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"
import { agreementWidth, reliabilityPrior } from "../index/Entry.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { Reinforced, Reinforcement } from "../MemoryWrite.ts"
import type { LaneName } from "./ReflectionRows.ts"

/** A reinforcement with what its statement needs. */
interface NewVotes {
  readonly reinforcement: Reinforcement
  /** UUIDs of the outcomes to vote on, each once. */
  readonly entryIds: ReadonlyArray<string>
  /** The version of the lane that this transaction holds; null for the lane's own. */
  readonly version: number | null
  readonly nowMs: number
  readonly settings: MemorySettings
}

/** What a row says beside its position. */
export const reinforcementRow = ({ entryIds, nowMs, reinforcement, settings, version }: NewVotes) => ({
  lane: reinforcement.lane,
  reinforcement_id: reinforcement.reinforcementId ?? null,
  actor: reinforcement.userId ?? "",
  occurred_at: reinforcement.occurredAt,
  quality: reinforcement.quality,
  version,
  votes_max: settings.votesPerDayMax,
  entry_ids: entryIds,
  revision: reinforcement.revision ?? 0,
  agreement_width: agreementWidth,
  at: new Date(nowMs),
  half_life_days: settings.reliabilityHalfLifeDays,
  prior_ups: reliabilityPrior.mean * reliabilityPrior.weight,
  prior_weight: reliabilityPrior.weight
})

/** Votes in one statement, `cast_votes`. */
const vote = Effect.fnUntraced(function*(items: Arr.NonEmptyReadonlyArray<NewVotes>) {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = items[0].reinforcement
  const rows = items.map((item, position) => ({ position, ...reinforcementRow(item) }))
  const [row] = yield* sql<{ readonly voted: ReadonlyArray<Reinforced & { readonly position: number }> }>`
    select cast_votes(${accountId}, ${wellFormedJson(rows)}::text::json) as voted`
  const answers = new Map(row?.voted.map(({ entryIds, position, updatedConfidence }) =>
    [items[position], { entryIds, updatedConfidence }] as const))
  return (item: NewVotes): Reinforced => answers.get(item) ?? { entryIds: [], updatedConfidence: null }
})

/**
 * Votes once, however often the reinforcement is repeated; a repeat is answered with what the first voted up.
 * The caller holds the lane's version, so that two reinforcements at once take turns. Reinforcements that
 * share a transaction are each answered with their entries after all of them.
 */
export const reinforceRows = batchWrites(vote)

/** Deletes the counts of votes of days before yesterday: no vote of such a day is still to come. */
export const forgetVotes = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  now: Date
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from vote where account_id = ${accountId} and lane = ${lane}
    and day < (${now}::timestamptz at time zone 'UTC')::date - 1`
})
