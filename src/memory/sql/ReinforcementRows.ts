/* Votes of feedbacks on past outcomes, as rows. */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { agreementWidth, reliabilityPrior } from "../index/Entry.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { Reinforcement } from "../MemoryWrite.ts"
import type { LaneName } from "./ReflectionRows.ts"

/** A reinforcement with what its statement needs. */
interface NewVotes {
  readonly reinforcement: Reinforcement
  /** UUIDs of the outcomes to vote on, each once. */
  readonly entryIds: ReadonlyArray<string>
  readonly nowMs: number
  readonly settings: MemorySettings
}

/** The votes as the row of their statement. */
export const reinforcementRow = ({ entryIds, nowMs, reinforcement, settings }: NewVotes) => ({
  lane: reinforcement.lane,
  reinforcement_id: reinforcement.reinforcementId,
  actor: reinforcement.userId ?? "",
  occurred_at: reinforcement.occurredAt,
  quality: reinforcement.quality,
  votes_max: settings.votesPerDayMax,
  entry_ids: entryIds,
  revision: reinforcement.revision,
  agreement_width: agreementWidth,
  at: new Date(nowMs),
  half_life_days: settings.reliabilityHalfLifeDays,
  prior_ups: reliabilityPrior.mean * reliabilityPrior.weight,
  prior_weight: reliabilityPrior.weight
})

/** Deletes the counts of votes of days before yesterday: no vote of such a day is still to come. */
export const forgetVotes = Effect.fnUntraced(function*(
  { accountId, lane }: LaneName,
  now: Date
): Effect.fn.Return<void, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from vote where account_id = ${accountId} and lane = ${lane}
    and votes > 0 and day < (${now}::timestamptz at time zone 'UTC')::date - 1`
})
