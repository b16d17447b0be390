/* Checkpoints: the stored evidence of guarantees, and the decision up to which it counts. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { GuaranteeCheckpoint } from "../../../domain/account/Guarantee.ts"
import { createdAtOf, fromParts, type RecommendationId, timeOf } from "../../../domain/RecommendationId.ts"
import { withAccountLog } from "../../../sql/AccountScope.ts"
import { type GuaranteeEvidence, noEvidence } from "../../../stats/GuaranteeStates.ts"
import type { GuaranteeQuery } from "../../GuaranteeEvidence.ts"

/** Evidence, and the decision up to which it goes; null before the first. */
interface Checkpoint {
  readonly evidence: GuaranteeEvidence
  readonly foldedId: RecommendationId | null
  /** When it was written, to the microsecond, as text. */
  readonly writtenAt: string | null
}

export const decodeEvidence = Schema.decodeUnknownEffect(GuaranteeCheckpoint)

/** Guarantees stored per lane, count: the last used. */
const keptMax = 16

/** How far a checkpoint may be ahead of now, ms: further than the clocks of two processes differ. */
const aheadMsMax = 60_000
const noRandom = new Uint8Array(10)

/** The statements about the checkpoint of one guarantee, inside `withAccount`. */
export const makeCheckpoints = (sql: SqlClient.SqlClient) => {
  const readCheckpoint = Effect.fnUntraced(function*(query: GuaranteeQuery) {
    const { accountId, baselineModelId, confidence, lane, maxQualityLoss } = query
    const [row] = yield* sql<Omit<Checkpoint, "evidence"> & { readonly evidence: unknown }>`
      select folded_id::text as "foldedId", updated_at::text as "writtenAt", evidence from guarantee_evidence
      where account_id = ${accountId} and lane = ${lane} and baseline_model_id = ${baselineModelId}
        and max_quality_loss = ${maxQualityLoss} and confidence = ${confidence}`
    const checkpoint: Checkpoint = row === undefined
      ? { evidence: noEvidence, foldedId: null, writtenAt: null }
      : { ...row, evidence: yield* decodeEvidence(row.evidence) }
    return checkpoint
  })

  /**
   * Writes the checkpoint, unless it has changed meanwhile: another process has counted the same decisions,
   * or outcomes were undone.
   */
  const writeCheckpoint = (
    query: GuaranteeQuery,
    before: Checkpoint,
    { evidence, foldedId }: Pick<Checkpoint, "evidence" | "foldedId">
  ) => {
    const { accountId, baselineModelId, confidence, lane, maxQualityLoss } = query
    return sql`insert into guarantee_evidence as g (account_id, lane, baseline_model_id, max_quality_loss,
        confidence, folded_id, evidence)
      values (${accountId}, ${lane}, ${baselineModelId}, ${maxQualityLoss}, ${confidence}, ${foldedId}::uuid,
        ${JSON.stringify(evidence)}::text::jsonb)
      on conflict (account_id, lane, baseline_model_id, max_quality_loss, confidence) do update
        set folded_id = excluded.folded_id, evidence = excluded.evidence, updated_at = now()
        where g.account_id = ${accountId} and g.folded_id = ${before.foldedId}::uuid
          and g.updated_at = ${before.writtenAt}::timestamptz`
  }

  const dropOldest = ({ accountId, lane }: GuaranteeQuery) =>
    sql`delete from guarantee_evidence where account_id = ${accountId} and lane = ${lane} and updated_at < (
      select min(updated_at) from (
        select updated_at from guarantee_evidence where account_id = ${accountId} and lane = ${lane}
        order by updated_at desc limit ${keptMax}
      ) as newest)`

  /**
   * Sets a checkpoint that was made by a fast clock back to `until`, because it would skip all decisions up
   * to its time. Later decisions that it has counted are marked as of no guarantee, so that they do not count
   * twice.
   */
  const putBack = Effect.fnUntraced(function*(query: GuaranteeQuery, found: Checkpoint, until: Date) {
    const { accountId, baselineModelId, confidence, lane, maxQualityLoss } = query
    const { foldedId } = found
    if (foldedId === null || timeOf(foldedId).getTime() <= until.getTime() + aheadMsMax) return found
    const atUntil = fromParts(until.getTime(), noRandom)
    // Undoing locks the same rows in the other order: both have the account's log.
    yield* withAccountLog(accountId, 0)(() =>
      sql`with moved as (
          update guarantee_evidence set folded_id = ${atUntil}::uuid
          where account_id = ${accountId} and lane = ${lane} and baseline_model_id = ${baselineModelId}
            and max_quality_loss = ${maxQualityLoss} and confidence = ${confidence}
            and folded_id = ${foldedId}::uuid
          returning lane
        )
        update decision_figures set guarantee_baseline_id = null
        where account_id = ${accountId} and lane = ${lane} and guarantee_baseline_id = ${baselineModelId}
          and created_at > ${until.toISOString()}::timestamptz
          and (created_at, recommendation_id)
            <= (${createdAtOf(foldedId)}::timestamptz, ${foldedId}::uuid)
          and exists (select from moved)`
    )
    // Another process may have put it back first.
    return yield* readCheckpoint(query)
  })

  return { readCheckpoint, writeCheckpoint, dropOldest, putBack }
}
