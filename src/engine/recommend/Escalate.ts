/** Stage 7: asks a reasoner (a language model) about a doubtful choice, and blends its opinions in. */
import { Effect, Schema } from "effect"
import { EscalationReason } from "../../domain/Escalation.ts"
import { type Contender, Reasoner } from "../../reasoner/Reasoner.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Choice } from "../policies/Policy.ts"
import { type EngineSettings, Settings } from "../Settings.ts"
import type { CostedCandidate, CostedCandidates } from "./candidates/Candidate.ts"
import { blend } from "./escalation/Blend.ts"
import { reasonsOf } from "./escalation/Reasons.ts"
import type { RequestContext } from "./RequestContext.ts"

export type EscalatedRequest = Pick<
  RequestContext, "accountId" | "candidates" | "reasonerLeftMs" | "recalled" | "request"
>

export type DoubtfulChoice = Pick<Choice, "criteria" | "deterministic" | "isFixed" | "objective" | "ranked">

export interface EscalationResult {
  /** Reasons to ask the reasoner, even if the reasoner could not be asked. */
  readonly reasons: ReadonlyArray<EscalationReason>
  /** The candidates of the request, with the reasoner's opinions blended into their predictions. */
  readonly candidates: CostedCandidates
  readonly isMoved: boolean
  /** Cost of the reasoner's answer, USD; null if the reasoner was not asked. */
  readonly costUsd: number | null
}

export class EscalationFailed extends Schema.TaggedError<EscalationFailed>()("EscalationFailed", {
  reasons: Schema.Array(EscalationReason),
  /** Cost of the reasoner's answer, USD; null if the reasoner was not asked. */
  costUsd: Schema.NullOr(Schema.Finite),
  cause: Schema.Defect()
}) {}

/**
 * The failure of an escalation if no reasoner is configured. `EscalationDisabled` is a plain object, because
 * each Error object would record a stack trace.
 */
export interface EscalationDisabled {
  readonly _tag: "EscalationDisabled"
  readonly reasons: ReadonlyArray<EscalationReason>
}

export const unescalated = (
  { candidates }: EscalatedRequest,
  failure: EscalationFailed | EscalationDisabled
): EscalationResult => ({
  candidates,
  isMoved: false,
  reasons: failure.reasons,
  costUsd: failure._tag === "EscalationFailed" ? failure.costUsd : null
})

type ContenderRule = Pick<
  EngineSettings, "reasonerCandidatesMax" | "lowPriceRatioMax" | "middlePriceRatioMax"
>

const contenders = (
  settings: ContenderRule,
  candidates: ReadonlyArray<CostedCandidate>
): ReadonlyArray<Contender> => {
  const shown = candidates.slice(0, settings.reasonerCandidatesMax)
  const cheapestUsd = Math.min(...shown.map(({ cost }) => cost.costUsd))
  const classOf = (costUsd: number): Contender["priceClass"] => {
    if (costUsd <= cheapestUsd * settings.lowPriceRatioMax) return "low"
    return costUsd <= cheapestUsd * settings.middlePriceRatioMax ? "middle" : "high"
  }
  return shown.map(({ card, cost, predictedSuccess }) =>
    ({ modelId: card.modelId, predictedSuccess, priceClass: classOf(cost.costUsd) }))
}

const ask = Effect.fnUntraced(function*(
  { accountId, candidates, reasonerLeftMs: leftMs, request: { task: { task } } }: EscalatedRequest,
  choice: DoubtfulChoice,
  reasons: ReadonlyArray<EscalationReason>
): Effect.fn.Return<EscalationResult, EscalationFailed | EscalationDisabled, Reasoner | Settings> {
  const reasoner = yield* Reasoner
  const settings = yield* Settings
  if (leftMs !== null && leftMs < settings.reasonerLeftMsMin) {
    const cause = new Reason.NotSent({ cause: "no time is left" })
    return yield* new EscalationFailed({ reasons, costUsd: null, cause })
  }
  const byModel = new Map(candidates.map((candidate) => [candidate.card.modelId, candidate]))
  // The ranked candidates may have optimistic predictions, but the reasoner is given plain predictions.
  const ranked = choice.ranked.flatMap(({ card }) => byModel.get(card.modelId) ?? [])
  const asking = reasoner.rank(accountId, task, contenders(settings, ranked)).pipe(
    Effect.mapError((failure): EscalationFailed | EscalationDisabled =>
      failure._tag === "ReasonerDisabled"
        ? { _tag: "EscalationDisabled", reasons }
        : new EscalationFailed({ reasons, costUsd: failure.costUsd, cause: failure }))
  )
  // The cost of a question that was abandoned is unknown, so it is reported as 0.
  const late = (limitMs: number) => () =>
    new EscalationFailed({ reasons, costUsd: 0, cause: new Reason.TimedOut({ limitMs }) })
  const { answer, costUsd } = yield* leftMs === null ? asking : asking.pipe(deadline(leftMs, late(leftMs)))
  const blended = blend(settings, candidates, answer)
  return { reasons, candidates: blended, isMoved: blended.some((each, i) => each !== candidates[i]), costUsd }
}, stage("escalate"))

/**
 * The reasoner is not asked if the choice is not in doubt, if the caller forbids it, or if no opinion may
 * change the pick.
 */
export const escalate = Effect.fnUntraced(function*(
  context: EscalatedRequest,
  choice: DoubtfulChoice
): Effect.fn.Return<EscalationResult, EscalationFailed | EscalationDisabled, Reasoner | Settings> {
  const { candidates, recalled, request: { allowLlmEscalation } } = context
  const { criteria: { threshold }, deterministic, isFixed, objective, ranked } = choice
  // Reasons about the drawn pick would let the draw change the predictions that it was drawn from, and the
  // logged propensity would be wrong.
  const reasons = allowLlmEscalation && !isFixed
    ? reasonsOf(yield* Settings, { pick: deterministic, candidates: ranked, objective, threshold }, recalled)
    : []
  if (reasons.length === 0) return { reasons, candidates, isMoved: false, costUsd: null }
  return yield* ask(context, choice, reasons)
})
