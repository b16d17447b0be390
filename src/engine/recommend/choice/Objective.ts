/**
 * The objective of a choice: least cost, least latency, or least loss. The loss is cost - value * predicted
 * success.
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
  /** Value of a right result, USD, >= 0, or null if only the threshold decides how much success is enough. */
  readonly valueUsd: number | null
  /** Cost or latency of a candidate, >= 0: US dollars or milliseconds. */
  readonly price: (candidate: CostAndLatency) => number
  /**
   * The quantity to minimise: the price or, with a value of success, price - value * success.
   *
   * @param success replaces the predicted success, in [0, 1]
   */
  readonly of: (candidate: ObjectiveInput, success?: number) => number
  /** Largest difference of a tie, in the unit of the quantity. */
  readonly tie: number
}

/** The largest difference of a tie between latencies, as a share of the lowest. */
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

/** An objective, with a warning if it is not the requested one. */
interface Objectives {
  readonly objective: Objective
  readonly warnings: ReadonlyArray<RecommendWarning>
}

/**
 * The objective of a request. The latency of a candidate is the 75th percentile on similar tasks. A candidate
 * without a latency has the mean of the others, because otherwise it would never or always be the fastest. If
 * no candidate has a latency, the choice minimises cost, with a warning.
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

/** Least value of success that a division uses, USD. With a value of 0, only costs then decide. */
const valueMin = 1e-9

/** The merit by which exploration draws: success or, with a value of success, success - cost / value. */
export const meritOf = ({ price, valueUsd }: Objective, candidate: ObjectiveInput): number =>
  valueUsd === null
    ? candidate.predictedSuccess
    : candidate.predictedSuccess - price(candidate) / Math.max(valueUsd, valueMin)

/**
 * The break-even success, with which one candidate at its own price is as good as the other. The result may
 * lie outside [0, 1], and is -Infinity without a value of success.
 */
export const breakEven = (
  { price, valueUsd }: Objective,
  one: ObjectiveInput,
  other: ObjectiveInput
): number =>
  valueUsd === null
    ? -Infinity
    : other.predictedSuccess + (price(one) - price(other)) / Math.max(valueUsd, valueMin)
