/** Policy: applies the limits on cost and latency, and relaxes a limit that would leave no candidate. */
import { dollars, duration } from "../../domain/text/Words.ts"
import type { CostedCandidate } from "../recommend/candidates/Candidate.ts"
import type { Policy, PolicyMaker } from "./Policy.ts"

const isSlow = ({ latencyMs }: CostedCandidate, maxMs: number): boolean =>
  latencyMs !== null && latencyMs.p75 > maxMs

/** Removes the candidates above the limit on cost, but keeps all of them if all are above the limit. */
const withinCost = (maxUsd: number): Policy => (choice) => {
  const isOver = (each: CostedCandidate) => each.cost.costUsd > maxUsd
  const candidates = choice.candidates.filter((each) => !isOver(each))
  if (candidates.length > 0) {
    return { ...choice, candidates, passedBy: [...choice.passedBy, { reason: "cost", includes: isOver }] }
  }
  const over = (each: CostedCandidate) =>
    isOver(each) ? `over the relaxed cost budget of ${dollars(maxUsd)}` : ""
  return {
    ...choice,
    warnings: [...choice.warnings, "no_model_within_cost_budget"],
    words: { ...choice.words, over }
  }
}

/**
 * Removes the candidates that are known to be too slow. If all candidates with a known latency are too slow,
 * keeps all candidates.
 */
const withinLatency = (maxMs: number): Policy => (choice) => {
  const known = choice.candidates.filter((each) => each.latencyMs !== null)
  if (known.length === 0 || known.some((each) => !isSlow(each, maxMs))) {
    return { ...choice, candidates: choice.candidates.filter((each) => !isSlow(each, maxMs)) }
  }
  const { over } = choice.words
  return {
    ...choice,
    warnings: [...choice.warnings, "no_model_within_latency_budget"],
    words: {
      ...choice.words,
      over: (each) => {
        const first = over(each)
        if (!isSlow(each, maxMs)) return first
        return `${first === "" ? "over" : `${first} and`} the relaxed latency budget of ${duration(maxMs)}`
      }
    }
  }
}

export const withinLimits: PolicyMaker = ({ request: { constraints: { maxCostPerCall, maxLatencyMs } } }) => {
  const cost = maxCostPerCall === null ? null : withinCost(maxCostPerCall)
  const latency = maxLatencyMs === null ? null : withinLatency(maxLatencyMs)
  if (cost === null || latency === null) return cost ?? latency
  return (choice, draw) => latency(cost(choice, draw), draw)
}
