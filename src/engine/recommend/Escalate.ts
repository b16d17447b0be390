import { Effect } from "effect"
import { deadline } from "../../resilience/Deadline.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { EscalationReason } from "../../domain/Warning.ts"
import type { Recalled } from "../../memory/Memory.ts"
import {
  type Consulted, type Contender, type Opinion, Reasoner, type ReasonerDisabled, ReasonerFailed
} from "../../reasoner/Reasoner.ts"
import * as Beta from "../../stats/Beta.ts"
import { type defaults, Settings } from "../Settings.ts"
import { stage } from "../../telemetry/Tracing.ts"
import type { Priced } from "./candidates/Candidate.ts"
import type { Optimized } from "./Optimize.ts"
import * as Reason from "../../resilience/FailureReason.ts"

/** Why the reasoner should be asked about this pick; empty when it need not be. */
export const reasons = (
  settings: typeof defaults,
  { pick, ranked }: Pick<Optimized, "pick" | "ranked">,
  recalled: Recalled
): ReadonlyArray<EscalationReason> => {
  const withNeighbours = ranked.filter((each) => each.neighbours.some(({ weight }) => weight > 0))
  const evidence = ranked.reduce(
    (sum, each) => sum + each.neighbours.reduce((own, { weight }) => own + weight, 0), 0
  )
  const near = pick.neighbours.filter(({ weight }) => weight > 0)
  const nearWeight = near.reduce((sum, { weight }) => sum + weight, 0)
  const nearSuccess = near.reduce((sum, { neighbour, weight }) => sum + weight * neighbour.quality, 0)
    / Math.max(nearWeight, Number.MIN_VALUE)
  const [first, second] = ranked
  const similarity = recalled.neighbours.reduce((sum, each) => sum + each.similarity, 0)
    / Math.max(1, recalled.neighbours.length)
  const found: ReadonlyArray<readonly [EscalationReason, boolean]> = [
    ["thin_evidence", evidence < settings.thinEvidenceWeight
      || withNeighbours.length < Math.min(settings.thinEvidenceModels, ranked.length)],
    ["low_confidence", pick.confidence < settings.lowConfidence],
    ["tie", first !== undefined && second !== undefined && first.score - second.score < settings.tieScoreGap],
    ["conflict", near.length >= settings.conflictNeighbours
      && nearSuccess >= settings.conflictLow && nearSuccess <= settings.conflictHigh],
    ["wide_interval", pick.successHigh - pick.successLow > settings.wideInterval],
    ["low_recall_confidence", recalled.neighbours.length > 0 && similarity < settings.lowRecallSimilarity]
  ]
  return found.filter(([, holds]) => holds).map(([reason]) => reason)
}

/**
 * Blends the reasoner's opinions into the predictions, the more the less we know. Opinions on models that are
 * no candidate are dropped, so a reasoner can move numbers but never break a constraint.
 */
export const blend = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Priced>,
  opinions: ReadonlyArray<Opinion>
): ReadonlyArray<Priced> => {
  const byModel = new Map(opinions.map((opinion) => [opinion.modelId, opinion.predictedSuccess]))
  return candidates.map((candidate) => {
    const opinion = byModel.get(candidate.card.modelId)
    if (opinion === undefined) return candidate
    const share = Math.min(
      settings.reasonerBlendMax,
      Math.max(settings.reasonerBlendMin, settings.reasonerBlendFactor * (1 - candidate.confidence))
    )
    const predictedSuccess = (1 - share) * candidate.predictedSuccess + share * opinion
    if (predictedSuccess === candidate.predictedSuccess) return candidate
    const { high, low } = Beta.interval95(Beta.ofMean(predictedSuccess, candidate.sampleSize))
    return {
      ...candidate,
      predictedSuccess,
      // A sceptical reasoner lowers what may be hoped as well.
      optimisticSuccess: (1 - share) * candidate.optimisticSuccess + share * opinion,
      successLow: low,
      successHigh: high,
      decisionBasis: "llm" as const
    }
  })
}

/** The first so many, each with its price class beside the cheapest of them. */
export const contenders = (
  settings: typeof defaults,
  candidates: ReadonlyArray<Priced>
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

interface Escalation {
  readonly accountId: AccountId
  readonly task: string
  readonly candidates: ReadonlyArray<Priced>
  /** Models that the budgets leave, best score first: the only ones that the reasoner is asked about. */
  readonly ranked: ReadonlyArray<string>
  /** What is left of the patience with the reasoner; null when nothing of it was used. */
  readonly leftMs: number | null
}

/** The candidates with the reasoner's view blended in; the same array members where nothing moved. */
export const escalate = Effect.fnUntraced(function*(
  { accountId, candidates, leftMs, ranked, task }: Escalation
): Effect.fn.Return<
  Consulted<ReadonlyArray<Priced>>,
  ReasonerFailed | ReasonerDisabled,
  Reasoner | Settings
> {
  const reasoner = yield* Reasoner
  const settings = yield* Settings
  if (leftMs !== null && leftMs < settings.reasonerLeftMsMin) {
    return yield* new ReasonerFailed({ reason: new Reason.NotSent({ cause: "no time is left" }) })
  }
  const byModel = new Map(candidates.map((candidate) => [candidate.card.modelId, candidate]))
  const known = ranked.flatMap((modelId) => byModel.get(modelId) ?? [])
  const asking = reasoner.rank(accountId, task, contenders(settings, known))
  // What a question cost that was given up is only known to the driver.
  const late = (limitMs: number) => () =>
    new ReasonerFailed({ reason: new Reason.TimedOut({ limitMs }), costUsd: 0 })
  const { answer, costUsd } = yield* leftMs === null ? asking : asking.pipe(deadline(leftMs, late(leftMs)))
  return { answer: blend(settings, candidates, answer), costUsd }
}, stage("escalate"))
