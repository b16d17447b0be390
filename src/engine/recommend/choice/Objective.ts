/**
 * The objective of a choice among the models that reach its bar: least cost, least latency, or least loss.
 * The loss is cost - value * predicted success.
 */
import type { OptimizeFor } from "../../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { costTieUsd } from "../../../stats/PolicyRules.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"

/** The fields of a candidate that an objective reads. */
type CostAndLatency = Pick<CostedCandidate, "cost" | "latencyMs">
type ObjectiveInput = CostAndLatency & Pick<CostedCandidate, "predictedSuccess">

/** The quantity that a choice minimises. */
export interface Objective {
  readonly optimizeFor: OptimizeFor
  /** Value of a right result, USD, >= 0; null if only the bar decides how much success is enough. */
  readonly valueUsd: number | null
  /** Cost or latency of a candidate, >= 0: US dollars or milliseconds. */
  readonly price: (candidate: CostAndLatency) => number
  /**
   * The quantity to minimise: the price, or under a value price - value * success.
   *
   * @param success in place of the predicted one, in [0, 1]
   */
  readonly of: (candidate: ObjectiveInput, success?: number) => number
  /** Values closer than this are a tie, in the same unit. */
  readonly tie: number
}

/** When two latencies are a tie: a share of the lowest. */
type ObjectiveRule = Pick<EngineSettings, "latencyTieShare">

const usdOf = ({ cost }: CostAndLatency): number => cost.costUsd

/** Minimises the cost of the call. */
export const costObjective: Objective = {
  optimizeFor: "cost",
  valueUsd: null,
  price: usdOf,
  of: usdOf,
  tie: costTieUsd
}

/** Minimises cost - value * success. */
export const valueObjective = (valueUsd: number): Objective => ({
  optimizeFor: "cost",
  valueUsd,
  price: usdOf,
  of: (candidate, success = candidate.predictedSuccess) => candidate.cost.costUsd - valueUsd * success,
  tie: costTieUsd
})

/** An objective, with a warning if the requested one could not be used. */
interface Objectives {
  readonly objective: Objective
  readonly warnings: ReadonlyArray<RecommendWarning>
}

/**
 * The objective of a request. The latency of a candidate is the 75th percentile on similar tasks. A candidate
 * without a latency has the mean of the others, so that it is neither avoided for ever nor taken for the
 * fastest. If no candidate has a latency, the choice minimises cost, with a warning.
 */
export const objectiveOf = (
  settings: ObjectiveRule,
  { optimizeFor, valueUsd }: Pick<Objective, "optimizeFor" | "valueUsd">,
  candidates: ReadonlyArray<CostAndLatency>
): Objectives => {
  if (valueUsd !== null) return { objective: valueObjective(valueUsd), warnings: [] }
  if (optimizeFor === "cost") return { objective: costObjective, warnings: [] }
  const known = candidates.flatMap(({ latencyMs }) => latencyMs === null ? [] : [latencyMs.p75])
  if (known.length === 0) return { objective: costObjective, warnings: ["no_latency_history"] }
  const meanMs = known.reduce((sum, each) => sum + each, 0) / known.length
  const price = ({ latencyMs }: CostAndLatency): number => latencyMs?.p75 ?? meanMs
  const tie = settings.latencyTieShare * Math.min(...known)
  return { objective: { optimizeFor, valueUsd, price, of: price, tie }, warnings: [] }
}

/** Least value of success, USD, so that under a value of 0 only costs decide. */
const valueMin = 1e-9

/** The merit of a draw: success, or under a value success - cost / value. */
export const meritOf = ({ price, valueUsd }: Objective, candidate: ObjectiveInput): number =>
  valueUsd === null
    ? candidate.predictedSuccess
    : candidate.predictedSuccess - price(candidate) / Math.max(valueUsd, valueMin)

/**
 * Break-even: the success at which a candidate, at its own price, is as good as another at its predicted
 * success. -Infinity without a value. May lie outside [0, 1].
 */
export const breakEven = (
  { price, valueUsd }: Objective,
  one: ObjectiveInput,
  other: ObjectiveInput
): number =>
  valueUsd === null
    ? -Infinity
    : other.predictedSuccess + (price(one) - price(other)) / Math.max(valueUsd, valueMin)
