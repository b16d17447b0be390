import type { EvidenceRef } from "../../domain/Evidence.ts"
import type { RankedModel } from "../../domain/Recommendation.ts"
import { type defaults } from "../Settings.ts"
import type { Scored } from "./Candidate.ts"

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** Three significant digits at most: enough to tell two models apart, short enough to read. */
const dollars = (usd: number): string => `$${Number(usd.toPrecision(3)).toString()}`

const basisWords = {
  memory: (count: number) => `${count} similar outcome${count === 1 ? "" : "s"}`,
  prior: () => "its benchmark prior",
  llm: (count: number) => `the reasoner and ${count} similar outcome${count === 1 ? "" : "s"}`
}

/** One sentence: success with its interval and what it rests on, and cost with `est` or `obs`. */
export const rationale = (candidate: Scored, threshold: number): string => {
  const count = candidate.neighbours.filter(({ weight }) => weight > 0).length
  const rests = candidate.decisionBasis === "memory" && count === 0
    ? "this lane's outcomes in the same cluster"
    : basisWords[candidate.decisionBasis](count)
  const interval = `${percent(candidate.successLow)} to ${percent(candidate.successHigh)}`
  const source = candidate.costBasis === "estimate" ? "est" : "obs"
  const clears = candidate.predictedSuccess >= threshold ? "clears" : "misses"
  return `${percent(candidate.predictedSuccess)} likely to succeed (${interval}) from ${rests}, `
    + `which ${clears} the ${percent(threshold)} threshold, `
    + `for ${dollars(candidate.cost.costUsd)} (${source}).`
}

const evidenceOf = (settings: typeof defaults, candidate: Scored): ReadonlyArray<EvidenceRef> =>
  candidate.neighbours
    .filter(({ weight }) => weight > 0)
    .slice(0, settings.evidencePerModel)
    .map(({ neighbour }) => ({
      entryId: neighbour.entryId,
      referenceId: neighbour.entryId,
      modelId: neighbour.modelId,
      score: neighbour.similarity,
      knowledgeConfidence: neighbour.reliability,
      observedSuccess: neighbour.quality,
      isStale: neighbour.isStale
    }))

/** A scored candidate as the caller reads it. */
export const rankedModel = (
  settings: typeof defaults,
  candidate: Scored,
  threshold: number,
  explain: boolean
): RankedModel => ({
  modelId: candidate.card.modelId,
  provider: candidate.card.provider,
  predictedSuccess: candidate.predictedSuccess,
  estCostUsd: candidate.cost.costUsd,
  estCostBreakdown: candidate.cost.breakdown,
  estCostLow: candidate.cost.lowUsd,
  estCostHigh: candidate.cost.highUsd,
  costBandBasis: candidate.cost.bandBasis,
  successIntervalWidth: candidate.successHigh - candidate.successLow,
  score: candidate.score,
  rationale: rationale(candidate, threshold),
  decisionBasis: candidate.decisionBasis,
  evidence: explain ? evidenceOf(settings, candidate) : [],
  supportsPromptCaching: candidate.card.supportsPromptCaching,
  contextWindow: candidate.card.contextWindow,
  estLatencyMs: candidate.latencyMsP75,
  latencyBasis: candidate.latencyMsP75 === null ? "" : "observed_p75"
})

/** Near-free ways to save on this very call. */
export const recommendedActions = (
  settings: typeof defaults,
  pick: Scored,
  inputTokens: number
): ReadonlyArray<string> =>
  pick.card.supportsPromptCaching && inputTokens >= settings.promptCacheInputTokens
    ? ["enable_prompt_cache"]
    : []
