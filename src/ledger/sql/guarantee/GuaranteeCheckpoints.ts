/* Checkpoints, which store the evidence of guarantees, and up to which decision they have counted. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { GuaranteeCheckpoint } from "../../../domain/account/Guarantee.ts"
import { createdAtOf, fromParts, type RecommendationId, timeOf } from "../../../domain/RecommendationId.ts"
import { withAccountLog } from "../../../sql/AccountScope.ts"
import { type GuaranteeEvidence, noEvidence } from "../../../stats/GuaranteeStates.ts"
import type { GuaranteeQuery } from "../../GuaranteeEvidence.ts"

interface Checkpoint {
  readonly evidence: GuaranteeEvidence
  /** The decision up to which the guarantee's decisions are counted; null before the first count. */
  readonly foldedId: RecommendationId | null
  /** Time at which the checkpoint was written, to the microsecond, as text. */
  readonly writtenAt: string | null
}

export const decodeEvidence = Schema.decodeUnknownEffect(GuaranteeCheckpoint)

/** Maximum number of checkpoints that a lane keeps. */
const keptMax = 16

/** Maximum time by which a checkpoint may be ahead of the decisions to count before it is moved back, ms. */
const aheadMsMax = 60_000
const noRandom = new Uint8Array(10)

/** Makes the statements on the checkpoint of one guarantee, which run inside `withAccount`. */
export const makeCheckpoints = (sql: SqlClient.SqlClient) => {
  const isOf = ({ accountId, baselineModelId, confidence, lane, maxQualityLoss }: GuaranteeQuery) =>
    sql`account_id = ${accountId} and lane = ${lane} and baseline_model_id = ${baselineModelId}
      and max_quality_loss = ${maxQualityLoss} and confidence = ${confidence}`

  const readCheckpoint = Effect.fnUntraced(function*(query: GuaranteeQuery) {
    const [row] = yield* sql<Omit<Checkpoint, "evidence"> & { readonly evidence: unknown }>`
      select folded_id::text as "foldedId", updated_at::text as "writtenAt", evidence from guarantee_evidence
      where ${isOf(query)}`
    const checkpoint: Checkpoint = row === undefined
      ? { evidence: noEvidence, foldedId: null, writtenAt: null }
      : { ...row, evidence: yield* decodeEvidence(row.evidence) }
    return checkpoint
  })

  /** Writes the checkpoint, unless another process or an undo has changed it since it was read. */
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

  /** Deletes all checkpoints of the lane except the {@link keptMax} that were written last. */
  const dropOldest = ({ accountId, lane }: GuaranteeQuery) =>
    sql`delete from guarantee_evidence where account_id = ${accountId} and lane = ${lane} and updated_at < (
      select min(updated_at) from (
        select updated_at from guarantee_evidence where account_id = ${accountId} and lane = ${lane}
        order by updated_at desc limit ${keptMax}
      ) as newest)`

  /**
   * Moves a checkpoint that was written by a fast clock back to `until`, because it would skip all decisions
   * up to its own time. Decisions after `until` that the checkpoint has counted are marked, so that none is
   * counted again.
   */
  const putBack = Effect.fnUntraced(function*(query: GuaranteeQuery, found: Checkpoint, until: Date) {
    const { accountId, baselineModelId, lane } = query
    const { foldedId } = found
    if (foldedId === null || timeOf(foldedId).getTime() <= until.getTime() + aheadMsMax) return found
    const atUntil = fromParts(until.getTime(), noRandom)
    // Moving checkpoints and undoing outcomes lock rows in different orders, so both hold the log's lock.
    yield* withAccountLog(accountId, 0)(() =>
      sql`with moved as (
          update guarantee_evidence set folded_id = ${atUntil}::uuid
          where ${isOf(query)} and folded_id = ${foldedId}::uuid
          returning lane
        )
        update decision_figures set guarantee_baseline_id = null
        where account_id = ${accountId} and lane = ${lane} and guarantee_baseline_id = ${baselineModelId}
          and created_at > ${until.toISOString()}::timestamptz
          and (created_at, recommendation_id)
            <= (${createdAtOf(foldedId)}::timestamptz, ${foldedId}::uuid)
          and exists (select from moved)`
    )
    // The checkpoint is read again, because another process may already have moved it back.
    return yield* readCheckpoint(query)
  })

  return { readCheckpoint, writeCheckpoint, dropOldest, putBack }
}
