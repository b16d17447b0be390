/** A request with its choice, from which its answer and its record are made. */
import type { Decision } from "../../../domain/Decision.ts"
import { modelIdOf } from "../../../domain/model/ModelVariant.ts"
import { byConsequence, type RecommendWarning } from "../../../domain/Warning.ts"
import type { Choice } from "../../policies/Policy.ts"
import { isUnknown } from "../candidates/Needs.ts"
import { retiringWarnings } from "../candidates/Retirement.ts"
import type { EscalationResult } from "../Escalate.ts"
import type { RequestContext } from "../RequestContext.ts"

export interface ChosenRequest {
  readonly context: RequestContext
  readonly choice: Choice
  readonly escalated: Pick<EscalationResult, "costUsd" | "reasons">
  /** How long it took, ms. */
  readonly latencyMs: number
}

/** With the decision that is made of it. */
export interface DecidedRequest extends ChosenRequest {
  readonly decision: Decision
}

/** Cost of the dearest scored candidate before the cost and latency filters: the generous baseline, USD. */
export const premiumUsd = ({ choice: { priced } }: Pick<ChosenRequest, "choice">): number =>
  Math.max(...priced.map((candidate) => candidate.cost.costUsd))

/** All warnings of the answer, the gravest first. */
export const warningsOf = ({ choice, context }: ChosenRequest): ReadonlyArray<RecommendWarning> => {
  const { createdAt, notes, request, settings, snapshot } = context
  const { card } = choice.pick
  return byConsequence([
    ...notes.warnings,
    ...choice.warnings,
    ...(isUnknown(request.inferredRequirements, card)
      ? [`capability_unknown:${modelIdOf(card.modelId)}` as const]
      : []),
    ...retiringWarnings(settings, snapshot, request, card, createdAt.getTime())
  ])
}
