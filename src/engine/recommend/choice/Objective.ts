/** The objective of a choice among the models that clear the threshold: least cost, or least latency. */
import type { OptimizeFor } from "../../../domain/Recommendation.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import type { EngineSettings } from "../../Settings.ts"
import { type CostedCandidate, marginalUsd } from "../candidates/Candidate.ts"

/** What an objective reads of a candidate. */
type CostAndLatency = Pick<CostedCandidate, "cost" | "isPrepaid" | "latencyMs">

/** What a choice keeps low. */
export interface Objective {
  readonly optimizeFor: OptimizeFor
  /** What it keeps low of a candidate, >= 0: US dollars, or milliseconds. */
  readonly of: (candidate: CostAndLatency) => number
  /** Values closer than this are a tie, in the same unit. */
  readonly tie: number
}

/** When two values are a tie: US dollars, and a share of the lowest latency. */
export type ObjectiveRule = Pick<EngineSettings, "costTieUsd" | "latencyTieShare">

/** What is left to pay for the call. */
export const costObjective = ({ costTieUsd }: Pick<ObjectiveRule, "costTieUsd">): Objective => ({
  optimizeFor: "cost",
  of: marginalUsd,
  tie: costTieUsd
})

/** An objective, and the warning that the one which was asked for could not be used. */
interface Objectives {
  readonly objective: Objective
  readonly notes: ReadonlyArray<RecommendWarning>
}

/**
 * The objective of a request. The latency of a candidate is the 75th percentile on similar tasks. A candidate
 * without a latency counts as the mean of the others: it is neither avoided for ever nor taken for the
 * fastest. Where no candidate has one, the choice goes by cost, with a warning.
 */
export const objectiveOf = (
  settings: ObjectiveRule,
  optimizeFor: OptimizeFor,
  candidates: ReadonlyArray<CostAndLatency>
): Objectives => {
  if (optimizeFor === "cost") return { objective: costObjective(settings), notes: [] }
  const known = candidates.flatMap(({ latencyMs }) => latencyMs === null ? [] : [latencyMs.p75])
  if (known.length === 0) return { objective: costObjective(settings), notes: ["no_latency_history"] }
  const meanMs = known.reduce((sum, each) => sum + each, 0) / known.length
  return {
    objective: {
      optimizeFor,
      of: ({ latencyMs }) => latencyMs?.p75 ?? meanMs,
      tie: settings.latencyTieShare * Math.min(...known)
    },
    notes: []
  }
}
