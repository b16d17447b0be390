/** Stage 7: asks a reasoner about a choice that is in doubt, and blends its opinions into the predictions. */
import { Effect, Schema } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import { EscalationReason } from "../../domain/Escalation.ts"
import type { Recalled } from "../../memory/Memory.ts"
import { Reasoner } from "../../reasoner/Reasoner.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"
import type { CostedCandidates } from "./candidates/Candidate.ts"
import type { Optimized } from "./choice/Choose.ts"
import { blend } from "./escalation/Blend.ts"
import { contenders } from "./escalation/Contenders.ts"
import { reasonsOf } from "./escalation/Reasons.ts"

/** A choice, and what decides whether and for how long a reasoner is asked about it. */
export interface EscalationInput {
  readonly accountId: AccountId
  readonly task: string
  /** Whether the caller allows that a reasoner is asked. */
  readonly isAllowed: boolean
  readonly candidates: CostedCandidates
  /** The choice among the candidates; `ranked` are those that the limits leave, best score first. */
  readonly optimized: Pick<Optimized, "deterministic" | "objective" | "ranked">
  /** tau, in [0, 1]. */
  readonly threshold: number
  readonly recalled: Recalled
  /** Time that the reasoner's budget leaves, ms; null when none of the budget was used. */
  readonly leftMs: number | null
}

/** The candidates after the escalation, and what led to it. */
interface EscalationResult {
  /** Why the reasoner was asked; empty when it was not. */
  readonly reasons: ReadonlyArray<EscalationReason>
  /** The input's candidates, with the opinions blended in. */
  readonly candidates: CostedCandidates
  /** Whether an opinion changed any candidate. */
  readonly isMoved: boolean
  /** What the reasoner cost, USD; null when it was not asked. */
  readonly costUsd: number | null
}

/** The reasoner gave no usable opinions, or there was no time left to ask. */
export class EscalationFailed extends Schema.TaggedError<EscalationFailed>()("EscalationFailed", {
  reasons: Schema.Array(EscalationReason),
  /** What asking cost all the same, USD; null when the reasoner was not asked. */
  costUsd: Schema.NullOr(Schema.Finite),
  cause: Schema.Defect()
}) {}

/**
 * There was reason to ask, and no reasoner is configured. A plain value: a service without a reasoner meets
 * it in most requests, and an error costs the stack that it takes.
 */
export interface EscalationDisabled {
  readonly _tag: "EscalationDisabled"
  readonly reasons: ReadonlyArray<EscalationReason>
}

/** Asks for opinions on the ranked candidates and blends them in. */
const ask = Effect.fnUntraced(function*(
  { accountId, candidates, leftMs, optimized, task }: EscalationInput,
  reasons: ReadonlyArray<EscalationReason>
): Effect.fn.Return<EscalationResult, EscalationFailed | EscalationDisabled, Reasoner | Settings> {
  const reasoner = yield* Reasoner
  const settings = yield* Settings
  if (leftMs !== null && leftMs < settings.reasonerLeftMsMin) {
    const cause = new Reason.NotSent({ cause: "no time is left" })
    return yield* new EscalationFailed({ reasons, costUsd: null, cause })
  }
  const byModel = new Map(candidates.map((candidate) => [candidate.card.modelId, candidate]))
  // The ranked carry optimistic predictions; the reasoner sees the plain ones.
  const ranked = optimized.ranked.flatMap(({ card }) => byModel.get(card.modelId) ?? [])
  const asking = reasoner.rank(accountId, task, contenders(settings, ranked)).pipe(
    Effect.mapError((failure): EscalationFailed | EscalationDisabled =>
      failure._tag === "ReasonerDisabled"
        ? { _tag: "EscalationDisabled", reasons }
        : new EscalationFailed({ reasons, costUsd: failure.costUsd, cause: failure }))
  )
  // The cost of a question that is given up here is unknown, and reported as 0.
  const late = (limitMs: number) => () =>
    new EscalationFailed({ reasons, costUsd: 0, cause: new Reason.TimedOut({ limitMs }) })
  const { answer, costUsd } = yield* leftMs === null ? asking : asking.pipe(deadline(leftMs, late(leftMs)))
  const blended = blend(settings, candidates, answer)
  return { reasons, candidates: blended, isMoved: blended.some((each, i) => each !== candidates[i]), costUsd }
}, stage("escalate"))

/**
 * The candidates as they are where nothing is in doubt or the caller does not allow it, else as the reasoner
 * moves them.
 */
export const escalate = Effect.fnUntraced(function*(
  input: EscalationInput
): Effect.fn.Return<EscalationResult, EscalationFailed | EscalationDisabled, Reasoner | Settings> {
  const { candidates, isAllowed, optimized, recalled, threshold } = input
  const { deterministic, objective, ranked } = optimized
  // The reasons are about the deterministic pick. Were they about a sampled one, the second draw that they
  // may cause would depend on the first, and the logged propensity would not be the probability of what was
  // done.
  const reasons = isAllowed
    ? reasonsOf(yield* Settings, { pick: deterministic, candidates: ranked, objective, threshold }, recalled)
    : []
  if (reasons.length === 0) return { reasons, candidates, isMoved: false, costUsd: null }
  return yield* ask(input, reasons)
})
