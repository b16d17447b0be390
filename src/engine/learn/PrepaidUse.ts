/* The use of prepaid quota by the reports of a decision. */
import { type PrepaidEstimates, prepaidEstimate } from "../../domain/account/Prepaid.ts"
import { isBroken, type ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"
import { modelIdOf } from "../../domain/model/ModelVariant.ts"
import type { PrepaidChange } from "../../ledger/ReportSubmission.ts"

/**
 * Tokens of a call: the reported ones, if both counts are. Else at least the expected tokens of the
 * recommendation, because a cost alone does not give tokens. For a call that the infrastructure broke, only
 * the reported ones.
 */
const tokensOf = (
  { billed: { inputTokens, outputTokens }, label }: ReportedOutcome,
  estimate: number
): number => {
  const known = (inputTokens ?? 0) + (outputTokens ?? 0)
  const isWhole = (inputTokens !== null && outputTokens !== null) || isBroken(label)
  return isWhole ? known : Math.max(known, estimate)
}

/**
 * How the reports of a decision change the use of quotas, by model, when others take their place: the
 * difference, so that a repeat changes nothing and a correction corrects. Only models count whose tokens were
 * paid when the decision was made.
 */
export const prepaidChanges = (
  estimates: PrepaidEstimates | undefined,
  before: ReadonlyArray<ReportedOutcome>,
  after: ReadonlyArray<ReportedOutcome>
): ReadonlyArray<PrepaidChange> => {
  if (estimates === undefined) return []
  const changes = new Map<string, number>()
  const count = (outcomes: ReadonlyArray<ReportedOutcome>, sign: 1 | -1) => {
    for (const outcome of outcomes) {
      const estimate = prepaidEstimate(estimates, outcome.modelId)
      if (estimate === null) continue
      const modelId = modelIdOf(outcome.modelId)
      changes.set(modelId, (changes.get(modelId) ?? 0) + sign * tokensOf(outcome, estimate))
    }
  }
  count(before, -1)
  count(after, 1)
  return [...changes].flatMap(([modelId, tokens]) => tokens === 0 ? [] : [{ modelId, tokens }])
}
