/** Stage: reads the recommendations of earlier attempts at the task from the ledger. */
import { Effect } from "effect"
import type { TaskAttempt } from "../../domain/Attempt.ts"
import type { Decision, RunChoice } from "../../domain/Decision.ts"
import * as RecommendationId from "../../domain/RecommendationId.ts"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { Ledger, LedgerUnavailable } from "../../ledger/Ledger.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

export interface LedgerAttempt {
  readonly decision: RunChoice & Pick<Decision, "recommendationId" | "taskKey">
  readonly outcomes: ReadonlyArray<ReportedOutcome>
}

/**
 * Reads the account's recommendation of each attempt, in the order of the attempts. An entry of the list is
 * null if the attempt names no recommendation of this account.
 */
export const readAttempts = Effect.fnUntraced(function*(
  accountId: AccountId,
  attempts: ReadonlyArray<TaskAttempt>
): Effect.fn.Return<ReadonlyArray<LedgerAttempt | null>, LedgerUnavailable, Ledger | Settings> {
  const { recallBudgetMs } = yield* Settings
  const ledger = yield* Ledger
  const read = (id: RecommendationId.RecommendationId) =>
    Effect.map(ledger.find(accountId, id), (found): LedgerAttempt | null =>
      found === null ? null : { decision: found.decision, outcomes: found.outcomes })
  return yield* Effect.forEach(attempts, ({ recommendationId }) => {
    const id = recommendationId === null ? null : RecommendationId.parse(recommendationId)
    return id === null ? Effect.succeed(null) : read(id)
  }, { concurrency: "unbounded" }).pipe(LedgerUnavailable.within(recallBudgetMs))
}, stage("attempts"))
