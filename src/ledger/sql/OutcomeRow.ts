/* What the reports of a decision come to, as `put_outcomes` writes it: outcomes, figures and spending. */
import { type Spend, spendOf } from "../../domain/account/Spending.ts"
import { isTrusted, successOf } from "../../domain/Feedback.ts"
import {
  isBroken, outcomeOf, reconciliationOf, type ReportedOutcome
} from "../../domain/FeedbackPrecedence.ts"
import { basisOf, type Settlement } from "../Settlement.ts"
import { createdAtOf } from "./StoredOutcomes.ts"

type ReportedDecision = Settlement["decision"]

/** What the figures of a decision have of its reports. */
const figuresOf = ({ candidates }: ReportedDecision, outcomes: ReadonlyArray<ReportedOutcome>) => {
  const best = reconciliationOf(outcomes)
  if (best === null) return {}
  const { chosenModelId, isLate, provenance, teaches } = best
  const position = candidates.findLastIndex(({ modelId }) => modelId === chosenModelId)
  const predicted = candidates.find(({ modelId }) => modelId === chosenModelId)?.predictedSuccess ?? null
  return {
    feedback_at: best.feedbackAt,
    provenance,
    success: successOf[best.outcome],
    quality: outcomeOf(outcomes, chosenModelId)?.label.taughtQuality ?? best.quality,
    is_late: isLate,
    teaches,
    is_trusted: teaches && isTrusted(provenance),
    is_broken: isBroken(best),
    actual_cost_usd: best.actualCostUsd,
    computed_cost_usd: best.computedCostUsd,
    chosen_model_id: chosenModelId,
    chosen_position: position === -1 ? null : position + 1,
    taught_prediction: teaches ? predicted : null
  }
}

const sumsRow = (spend: Omit<Spend, "marginUsd">) => ({
  billed_usd: spend.billedUsd,
  billed_estimate_usd: spend.billedEstimateUsd,
  waiting_usd: spend.waitingUsd,
  left_out_usd: spend.leftOutUsd
})

/** What the second adds to the first. */
const changeRow = (before: Spend, after: Spend) => ({
  ...sumsRow({
    billedUsd: after.billedUsd - before.billedUsd,
    billedEstimateUsd: after.billedEstimateUsd - before.billedEstimateUsd,
    waitingUsd: after.waitingUsd - before.waitingUsd,
    leftOutUsd: after.leftOutUsd - before.leftOutUsd
  }),
  margin_usd: after.marginUsd - before.marginUsd
})

/**
 * The row by which outcomes take the place of others.
 *
 * @param before the outcomes that are stored; null where the account has no such decision
 */
export const outcomeRow = (
  decision: ReportedDecision,
  before: ReadonlyArray<ReportedOutcome> | null,
  outcomes: ReadonlyArray<ReportedOutcome>,
  taskKey: string | null
) => {
  const spend = spendOf(decision, outcomes)
  return {
    recommendation_id: decision.recommendationId,
    created_at: createdAtOf(decision.recommendationId),
    basis: before === null ? null : basisOf(before),
    revision: basisOf(outcomes),
    ...figuresOf(decision, outcomes),
    outcomes,
    ...(taskKey === null ? {} : { task_key: taskKey }),
    spend: sumsRow(spend),
    change: changeRow(spendOf(decision, before ?? []), spend)
  }
}
