/** The limits of a request on its one call, which are relaxed rather than leave no candidate. */
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { type CostedCandidate, marginalUsd } from "../candidates/Candidate.ts"

/** Limits on a candidate's cost, USD, and latency, ms; null for none. */
export interface CallLimits {
  readonly maxCostPerCall: number | null
  readonly maxLatencyMs: number | null
}

/** The candidates that a limit leaves, all of them where it is relaxed, and the warning that says so. */
interface WithinLimit {
  readonly kept: ReadonlyArray<CostedCandidate>
  readonly notes: ReadonlyArray<RecommendWarning>
}

/** The candidates within the limit on cost. One below every cost is relaxed. */
export const withinCost = (
  candidates: ReadonlyArray<CostedCandidate>,
  maxUsd: number | null
): WithinLimit => {
  const kept = maxUsd === null ? candidates : candidates.filter((each) => marginalUsd(each) <= maxUsd)
  return kept.length > 0
    ? { kept, notes: [] }
    : { kept: candidates, notes: ["no_model_within_cost_budget"] }
}

/**
 * The candidates that are not known to be too slow. Where every model with a history is, the limit is
 * relaxed.
 */
export const withinLatency = (
  candidates: ReadonlyArray<CostedCandidate>,
  maxMs: number | null
): WithinLimit => {
  const isSlow = ({ latencyMs }: CostedCandidate) =>
    maxMs !== null && latencyMs !== null && latencyMs.p75 > maxMs
  const known = candidates.filter((each) => each.latencyMs !== null)
  return known.length > 0 && known.every(isSlow)
    ? { kept: candidates, notes: ["no_model_within_latency_budget"] }
    : { kept: candidates.filter((each) => !isSlow(each)), notes: [] }
}
