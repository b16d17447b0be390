/** The sentence that explains one candidate to the caller. */
import { armName } from "../../../domain/model/Arm.ts"
import type { GuaranteeStatus } from "../../../domain/account/Guarantee.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { ThresholdRule } from "../../../domain/SliderThreshold.ts"
import { counted, decimal, dollars, duration, percent, percentBeside } from "../../../domain/text/Words.ts"
import { type Flip, nearestFlip, roundIn, tauScale } from "../../../stats/NearestFlip.ts"
import { marginalUsd, type Scored } from "../candidates/Candidate.ts"
import type { Goal, Optimized } from "../choice/Choose.ts"
import { afterFailures, plannedMerit, plannedShortfall } from "./PlanWords.ts"
import { valueMerit, valueShortfall } from "./ValueWords.ts"

/** Where the prior comes from. */
const priorWords = ({ capabilitySource }: ModelCard): string => {
  switch (capabilitySource) {
    case "none":
      return "the prior of an average measured model"
    case "catalog_file":
      return "the catalog file's prior"
    case "declared":
      return "the prior that its account declares"
    case "base_model":
      return "the benchmark prior of its base model"
    case "family":
      return "the benchmark prior of a model that its name begins with"
    case "effort":
      return "the benchmark prior of the model, moved by its effort"
    case "family+price":
      return "a prior inferred from its family and price"
    case "price+date":
      return "a prior inferred from its price and date"
    default:
      return "its benchmark prior"
  }
}

/** What the prediction rests on. */
const basisWords = ({ card, decisionBasis, neighbours }: Scored): string => {
  const outcomes = neighbours.heavy === 0 ? null : counted(neighbours.heavy, "similar outcome")
  switch (decisionBasis) {
    case "prior":
      return `${priorWords(card)} alone`
    case "memory":
      return outcomes ?? "this namespace's outcomes of the same task type"
    case "llm":
      return `the reasoner and ${outcomes ?? priorWords(card)}`
  }
}

/** What its cost rests on. */
const costBasisWords = ({ cost, costBasis, isPrepaid }: Scored): string => {
  const basis = costBasis === "estimate"
    ? cost.breakdown["learned_ratio"] === undefined ? "est" : "est (learned)"
    : "obs"
  return isPrepaid === true ? `${basis}; paid already, so it counts as free` : basis
}

/** Which relaxed limits this candidate is over; empty when it is within them or they hold. */
const overLimit = ({ limits }: Goal, { notes }: Optimized, candidate: Scored): string => {
  const { maxCostPerCall, maxLatencyMs } = limits
  if (notes.length === 0) return ""
  const over = [
    ...(notes.includes("no_model_within_cost_budget") && maxCostPerCall !== null
        && marginalUsd(candidate) > maxCostPerCall
      ? [`the relaxed cost budget of ${dollars(maxCostPerCall)}`]
      : []),
    ...(notes.includes("no_model_within_latency_budget") && maxLatencyMs !== null
        && (candidate.latencyMs?.p75 ?? 0) > maxLatencyMs
      ? [`the relaxed latency budget of ${duration(maxLatencyMs)}`]
      : [])
  ]
  return over.length === 0 ? "" : `over ${over.join(" and ")}`
}

/** The adjectives of what a choice keeps low. */
const adjectives = {
  cost: { lowest: "the cheapest", low: "as cheap as any", equal: "at the same cost" },
  latency: { lowest: "the fastest", low: "as fast as any", equal: "and about as fast" }
} as const

/** The costs of a candidate and of the deterministic pick in words. */
interface CostWords {
  readonly own: string
  readonly rival: string
}

/** Why the pick of a guarantee is the pick. */
const guaranteedMerit = (
  { baselineModelId, maxQualityLoss, state }: GuaranteeStatus,
  { deterministic, pick }: Optimized
): string => {
  if (pick !== deterministic) {
    return `drawn as a trial of the guarantee in place of ${armName(deterministic.card.modelId)}`
  }
  return state === "held"
    ? `the cheapest whose success is known to be within ${maxQualityLoss} of ${baselineModelId}`
    : `the baseline, as no cheaper candidate's success is known to be within ${maxQualityLoss} of it`
}

/** Why another candidate is not the pick of a guarantee. */
const guaranteedShortfall = (
  { baselineModelId, maxQualityLoss }: GuaranteeStatus,
  { deterministic, pick }: Optimized,
  candidate: Scored,
  words: CostWords
): string => {
  if (candidate === deterministic) return `passed over this time for a trial of ${armName(pick.card.modelId)}`
  return marginalUsd(candidate) > marginalUsd(deterministic)
    ? `dearer than ${armName(deterministic.card.modelId)} at ${words.rival}`
    : `its success is not known to be within ${maxQualityLoss} of ${baselineModelId}`
}

/** Why the pick is the pick. */
const merit = (goal: Goal, optimized: Optimized): string => {
  if (optimized.guaranteed !== null) return guaranteedMerit(optimized.guaranteed.answer, optimized)
  if (optimized.plan !== null) return plannedMerit(optimized.plan, goal.threshold)
  const { deterministic, eligible, objective, pick, ranked, replaced } = optimized
  const { of, optimizeFor, tie, valueUsd } = objective
  if (replaced !== null && pick === deterministic) {
    return `kept as the incumbent, from which the evidence cannot tell ${armName(replaced.card.modelId)}`
  }
  if (valueUsd !== null) return valueMerit(goal, optimized, valueUsd)
  const words = adjectives[optimizeFor]
  const tau = `tau ${decimal(goal.threshold)}`
  if (pick !== deterministic) {
    const passed = armName(deterministic.card.modelId)
    return `drawn to explore in place of ${passed}, ${words.lowest} that reaches ${tau}`
  }
  if (ranked.length === 1) {
    return `the only candidate, ${eligible.length === 1 ? "which reaches" : "though short of"} ${tau}`
  }
  if (eligible.length === 0) {
    return `the likeliest of ${ranked.length} candidates, none of which reaches ${tau}`
  }
  if (eligible.length === 1) return `the only one of ${ranked.length} candidates that reaches ${tau}`
  const isTied = eligible.some((each) => each !== pick && of(each) <= of(pick) + tie)
  const rank = `${isTied ? words.low : words.lowest} of the ${eligible.length} candidates that reach ${tau}`
  if (optimizeFor === "cost") return rank
  return pick.latencyMs === null
    ? `${rank}, its latency being assumed to be the mean of theirs`
    : `${rank}, at ${duration(pick.latencyMs.p75)}`
}

/** Why a candidate that is not the pick is not. */
const shortfall = (
  goal: Goal,
  optimized: Optimized,
  candidate: Scored,
  words: CostWords
): string => {
  if (optimized.guaranteed !== null) {
    return guaranteedShortfall(optimized.guaranteed.answer, optimized, candidate, words)
  }
  if (optimized.plan !== null) return plannedShortfall(optimized.plan, optimized.pick, candidate)
  const { deterministic, eligible, objective, pick, replaced } = optimized
  const { of, optimizeFor, tie } = objective
  if (candidate === replaced && pick === deterministic) return "no evidence tells it from the incumbent"
  if (candidate === deterministic) return `passed over this time to explore ${armName(pick.card.modelId)}`
  if (objective.valueUsd !== null) return valueShortfall(goal, optimized, candidate)
  const rival = armName(deterministic.card.modelId)
  const isShort = candidate.predictedSuccess < goal.threshold
  if (isShort && eligible.length > 0 && deterministic.predictedSuccess >= goal.threshold) {
    return `short of tau ${decimal(goal.threshold)}`
  }
  if (candidate.predictedSuccess < deterministic.predictedSuccess && eligible.length === 0) {
    return `less likely than ${rival}`
  }
  if (of(candidate) > of(deterministic) + tie) {
    if (optimizeFor === "latency") {
      return candidate.latencyMs === null
        ? `no latency of it is known, and ${rival} is faster than the mean`
        : `slower than ${rival} at ${duration(of(deterministic))}`
    }
    return words.own === words.rival
      ? `a shade dearer than ${rival}`
      : `dearer than ${rival} at ${words.rival}`
  }
  return candidate.predictedSuccess < deterministic.predictedSuccess
    ? `less likely than ${rival} ${adjectives[optimizeFor].equal}`
    : `no better than ${rival} ${adjectives[optimizeFor].equal}`
}

/** What would change the pick: the nearest tau, or value, that a caller can set. Empty when nothing would. */
const change = (
  settings: ThresholdRule,
  goal: Goal,
  optimized: Optimized
): string => {
  const { deterministic, eligible, objective: { valueUsd }, pick, rule } = optimized
  // A drawn pick changes with the draw, that of a guarantee with the evidence, and others with more.
  if (pick !== deterministic || optimized.guaranteed !== null || optimized.plan !== null) return ""
  if (optimized.replaced !== null) return ""
  // The optimism of a pick may end at a lower threshold, so what an optimistic pick clears is not said.
  const isOptimistic = pick.predictedSuccess === pick.optimisticSuccess
    && pick.optimisticSuccess > pick.forecast.mixed
  // Below that threshold another candidate clears as well, and may be picked for its cost.
  const next = optimized.ranked.reduce(
    (most, each) => each === pick ? most : Math.max(most, each.predictedSuccess), settings.thresholdMin
  )
  const clearing = eligible.length > 0 || isOptimistic || valueUsd !== null
    ? null
    : roundIn(tauScale(settings), next, Math.min(pick.predictedSuccess, settings.thresholdMax), "most")
  const flip = nearestFlip(rule, valueUsd ?? goal.threshold)
  const settingWords = ({ at, side }: Flip) =>
    valueUsd === null ? `tau is at ${side} ${at}` : `a success is worth at ${side} ${dollars(at)}`
  const parts = [
    ...(clearing === null ? [] : [`it clears tau from ${clearing} down`]),
    ...(flip === null
      ? []
      : [`Sextant picks ${armName(flip.modelId)} if ${settingWords(flip)}`])
  ]
  return parts.length === 0 ? "" : `; ${parts.join(" and ")}`
}

/**
 * One sentence on each candidate of a choice: its chance with the 95 % interval and what that rests on, its
 * cost with `est` or `obs`, and for the pick why it is that and what would change it, for others why they are
 * not.
 */
export const rationales = (
  settings: ThresholdRule,
  goal: Goal,
  optimized: Optimized
): ((candidate: Scored) => string) => {
  const rival = dollars(marginalUsd(optimized.deterministic))
  return (candidate) => {
    const own = candidate === optimized.deterministic ? rival : dollars(marginalUsd(candidate))
    const chance = `${percentBeside(candidate.predictedSuccess, goal.threshold)} likely to succeed`
      + ` (95 % interval ${percent(candidate.successLow)} to ${percent(candidate.successHigh)})`
      + ` going by ${basisWords(candidate)}`
    const listed = candidate.isPrepaid === true ? dollars(candidate.cost.costUsd) : own
    const cost = `${listed} (${costBasisWords(candidate)})`
    const over = overLimit(goal, optimized, candidate)
    if (candidate !== optimized.pick) {
      const why = shortfall(goal, optimized, candidate, { own, rival })
      return `${chance}, at ${cost}, but ${why}${over === "" ? "" : ` and ${over}`}.`
    }
    return `${chance}, and at ${cost} ${merit(goal, optimized)}`
      + `${over === "" ? "" : `, though ${over}`}${change(settings, goal, optimized)}.`
      + afterFailures(optimized, candidate)
  }
}
