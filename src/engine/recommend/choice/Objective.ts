/** The objective of a choice: lowest cost, lowest latency, or lowest loss (cost - value * success). */
import type { OptimizeFor } from "../../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { costTieUsd } from "../../../stats/PolicyRules.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"

type CostAndLatency = Pick<CostedCandidate, "cost" | "latencyMs">
type ObjectiveInput = CostAndLatency & Pick<CostedCandidate, "predictedSuccess">

export interface Objective {
  readonly optimizeFor: OptimizeFor
  /** Value of a right result, USD, >= 0; null if the threshold decides. */
  readonly valueUsd: number | null
  /** Cost or latency of a candidate, >= 0: US dollars or milliseconds. */
  readonly price: (candidate: CostAndLatency) => number
  /** Computes the quantity to minimise: the price or, with a value of success, price - value * success. */
  readonly of: (candidate: ObjectiveInput, success?: number) => number
  /** Largest difference of two objectives that counts as a tie, in US dollars or milliseconds. */
  readonly tie: number
}

type ObjectiveRule = Pick<EngineSettings, "latencyTieShare">

const usdOf = ({ cost }: CostAndLatency): number => cost.costUsd

export const costObjective: Objective = {
  optimizeFor: "cost",
  valueUsd: null,
  price: usdOf,
  of: usdOf,
  tie: costTieUsd
}

export const valueObjective = (valueUsd: number): Objective => ({
  optimizeFor: "cost",
  valueUsd,
  price: usdOf,
  of: (candidate, success = candidate.predictedSuccess) => candidate.cost.costUsd - valueUsd * success,
  tie: costTieUsd
})

interface Objectives {
  readonly objective: Objective
  readonly warnings: ReadonlyArray<RecommendWarning>
}

/**
 * Returns the objective of a request. Latency is the 75th percentile on similar tasks. A candidate without a
 * known latency gets the mean of the other latencies, because otherwise it would always or never be the
 * fastest. If no candidate has a known latency, the choice minimises cost, with a warning.
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

/** Minimum value of success that a division uses, USD. */
const valueMin = 1e-9

/** The merit by which exploration draws: success or, with a value of success, success - cost / value. */
export const meritOf = ({ price, valueUsd }: Objective, candidate: ObjectiveInput): number =>
  valueUsd === null
    ? candidate.predictedSuccess
    : candidate.predictedSuccess - price(candidate) / Math.max(valueUsd, valueMin)

/**
 * Computes the break-even success: the success of `one` at which `one` and `other` have the same objective.
 * The break-even success may lie outside [0, 1], and is -Infinity if the request has no value of success.
 */
export const breakEven = (
  { price, valueUsd }: Objective,
  one: ObjectiveInput,
  other: ObjectiveInput
): number =>
  valueUsd === null
    ? -Infinity
    : other.predictedSuccess + (price(one) - price(other)) / Math.max(valueUsd, valueMin)
