/* Removes outcomes that a user undoes from the evidence for guarantees. */
import { Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { OutcomeSelection } from "../../../domain/feedback/OutcomeSelection.ts"
import { type RecommendationId, timeOf } from "../../../domain/RecommendationId.ts"
import type { AccountId } from "../../../domain/Scope.ts"
import { withAccountLog } from "../../../sql/AccountScope.ts"
import { retryTransient } from "../../../sql/Transient.ts"
import { withoutCandidates } from "../../../stats/GuaranteeStates.ts"
import { decodeEvidence } from "./GuaranteeCheckpoints.ts"

type ResetCandidate = {
  readonly lane: string
  readonly baselineModelId: string
  readonly taskType: string
  readonly candidateModelId: string
}

interface ResetTrials extends ResetCandidate {
  readonly createdAt: Date
}

/** Marks the trials with undone outcomes, so that no guarantee counts these trials from now on. */
const mark = ({ accountId, lane, since, until, userId }: OutcomeSelection) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<ResetTrials>`with undone as materialized (
        select f.* from decision_figures f join decision d using (account_id, created_at, recommendation_id)
          join outcome o using (account_id, created_at, recommendation_id)
        where f.account_id = ${accountId} and (${lane}::text is null or f.lane = ${lane}::text)
          and f.guarantee_baseline_id is not null and f.guarantee_candidate_id is not null
          and (${userId}::text is null or d.user_id = ${userId}::text)
          and exists (select from jsonb_array_elements(o.outcomes) as each
            where (${since}::timestamptz is null
                or (each -> 'label' ->> 'feedbackAt')::timestamptz >= ${since}::timestamptz)
              and (${until}::timestamptz is null
                or (each -> 'label' ->> 'feedbackAt')::timestamptz < ${until}::timestamptz))
      ), marked as (
        update decision_figures f set guarantee_baseline_id = null from undone u
        where f.account_id = ${accountId} and f.created_at = u.created_at
          and f.recommendation_id = u.recommendation_id
      )
      select lane, guarantee_baseline_id as "baselineModelId", split_part(cluster, ':', 1) as "taskType",
        guarantee_candidate_id as "candidateModelId", min(created_at) as "createdAt"
      from undone
      group by lane, guarantee_baseline_id, "taskType", guarantee_candidate_id
      order by lane, guarantee_baseline_id, "taskType", guarantee_candidate_id`)

interface EvidenceRow {
  readonly maxQualityLoss: number
  readonly confidence: number
  readonly foldedId: RecommendationId
  readonly evidence: unknown
}

/** Removes candidates from checkpoints that have counted undone trials, and returns these candidates. */
const reset = Effect.fnUntraced(function*(accountId: AccountId, trials: ReadonlyArray<ResetTrials>) {
  const sql = yield* SqlClient.SqlClient
  const { baselineModelId, lane } = trials[0]!
  const mine = sql`account_id = ${accountId} and lane = ${lane} and baseline_model_id = ${baselineModelId}`
  const rows = yield* sql<EvidenceRow>`
    select max_quality_loss as "maxQualityLoss", confidence, folded_id::text as "foldedId", evidence
    from guarantee_evidence where ${mine} for update`
  const dropped = new Set<ResetTrials>()
  for (const { confidence, evidence, foldedId, maxQualityLoss } of rows) {
    const counted = trials.filter(({ createdAt }) => createdAt <= timeOf(foldedId))
    counted.forEach((each) => dropped.add(each))
    const left = withoutCandidates(yield* decodeEvidence(evidence), (kind, candidate) =>
      counted.some((each) => each.taskType === kind && each.candidateModelId === candidate))
    yield* sql`update guarantee_evidence
      set evidence = ${JSON.stringify(left)}::text::jsonb, updated_at = clock_timestamp()
      where ${mine} and max_quality_loss = ${maxQualityLoss} and confidence = ${confidence}`
  }
  return [...dropped]
})

/**
 * A candidate with an undone trial starts without evidence, because no trial can be subtracted from evidence
 * that depends on their order. A guarantee's promise holds however often its candidates start again. Undoing
 * the same outcomes again changes nothing.
 */
export const undoTrials = (
  undone: OutcomeSelection
): Effect.Effect<
  ReadonlyArray<ResetCandidate>, SqlError.SqlError | Schema.SchemaError, SqlClient.SqlClient
> =>
  Effect.gen(function*() {
    const trials = yield* mark(undone)
    const groups = Map.groupBy(trials, ({ baselineModelId, lane }) => JSON.stringify([lane, baselineModelId]))
    const resets = yield* Effect.forEach(groups.values(), (group) => reset(undone.accountId, group))
    return resets.flat()
  }).pipe(
    // Undoing outcomes holds the lock of the log, because reports write `decision_figures` too.
    (undoing) => withAccountLog(undone.accountId, 0)(() => undoing),
    retryTransient
  )
