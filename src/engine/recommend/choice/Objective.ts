/**
 * The objective of a choice among the models that reach its bar: least cost, least latency, or least loss,
 * which is the cost less what the expected success is worth.
 */
import type { OptimizeFor } from "../../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { costTieUsd } from "../../../stats/PolicyRules.ts"
import type { EngineSettings } from "../../Settings.ts"
import { type CostedCandidate, marginalUsd } from "../candidates/Candidate.ts"

/** What an objective reads of a candidate. */
type CostAndLatency = Pick<CostedCandidate, "cost" | "isPrepaid" | "latencyMs">
type ObjectiveInput = CostAndLatency & Pick<CostedCandidate, "predictedSuccess">

/** What a choice keeps low. */
export interface Objective {
  readonly optimizeFor: OptimizeFor
  /** What a right result is worth, USD, >= 0; null where the bar alone decides how much success is enough. */
  readonly valueUsd: number | null
  /** What a candidate takes, >= 0: US dollars, or milliseconds. */
  readonly price: (candidate: CostAndLatency) => number
  /**
   * What the choice keeps low: the price, or under a value the price less value times success.
   *
   * @param success in place of the predicted one, in [0, 1]
   */
  readonly of: (candidate: ObjectiveInput, success?: number) => number
  /** Values closer than this are a tie, in the same unit. */
  readonly tie: number
}

/** When two latencies are a tie: a share of the lowest. */
type ObjectiveRule = Pick<EngineSettings, "latencyTieShare">

/** What is left to pay for the call. */
export const costObjective: Objective = {
  optimizeFor: "cost",
  valueUsd: null,
  price: marginalUsd,
  of: marginalUsd,
  tie: costTieUsd
}

/** What the call costs beyond what its expected success is worth. */
export const valueObjective = (valueUsd: number): Objective => ({
  optimizeFor: "cost",
  valueUsd,
  price: marginalUsd,
  of: (candidate, success = candidate.predictedSuccess) => marginalUsd(candidate) - valueUsd * success,
  tie: costTieUsd
})

/** An objective, and the warning that the one which was asked for could not be used. */
interface Objectives {
  readonly objective: Objective
  readonly warnings: ReadonlyArray<RecommendWarning>
}

/**
 * The objective of a request. The latency of a candidate is the 75th percentile on similar tasks. A candidate
 * without a latency counts as the mean of the others: it is neither avoided for ever nor taken for the
 * fastest. Where no candidate has one, the choice goes by cost, with a warning.
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

/** Least value that success is weighed by, USD, so that costs alone decide under a value of 0. */
const valueMin = 1e-9

/** The merit by which others are drawn: success, under a value less the cost in units of it. */
export const meritOf = ({ price, valueUsd }: Objective, candidate: ObjectiveInput): number =>
  valueUsd === null
    ? candidate.predictedSuccess
    : candidate.predictedSuccess - price(candidate) / Math.max(valueUsd, valueMin)

/**
 * The success at which one candidate, at its own price, is as good as another at what is predicted of that;
 * -Infinity without a value, where prices are not weighed against success. May lie outside [0, 1].
 */
export const breakEven = (
  { price, valueUsd }: Objective,
  one: ObjectiveInput,
  other: ObjectiveInput
): number =>
  valueUsd === null
    ? -Infinity
    : other.predictedSuccess + (price(one) - price(other)) / Math.max(valueUsd, valueMin)
