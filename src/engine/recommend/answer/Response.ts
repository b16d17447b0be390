/** Builds the answer to a recommendation request. */
import { cacheIdOf } from "../../../catalog/Offerings.ts"
import type { RecommendResponse } from "../../../domain/Recommendation.ts"
import { unitOf } from "../../../domain/Task.ts"
import { byConsequence, type RecommendWarning } from "../../../domain/Warning.ts"
import { unanswered } from "../../policies/Policy.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Scored } from "../candidates/Candidate.ts"
import { type CostQuery, inputTokens, listCost, type ListCostRule } from "../cost/ListCost.ts"
import { namesOf, shownModels } from "./RankedModel.ts"
import type { ChosenRequest, DecidedRequest } from "../MakeDecision.ts"

type CachingRule = ListCostRule & Pick<EngineSettings, "promptCacheInputTokens" | "promptCacheSavedShare">

export const recommendedActions = (
  settings: CachingRule,
  { card }: Scored,
  query: CostQuery
): ReadonlyArray<string> => {
  const { caching: { incumbentModelId }, classified, task } = query
  if (inputTokens(settings, task, classified) < settings.promptCacheInputTokens) return []
  const model = cacheIdOf(card)
  const warm = { ...query, caching: { requirePromptCaching: false, incumbentModelId: model } }
  const cold = listCost(settings, { ...card, supportsPromptCaching: false }, warm)
  const savedUsd = cold.inputUsd - listCost(settings, card, warm).inputUsd
  const leastUsd = settings.promptCacheSavedShare * (cold.inputUsd + cold.outputUsd)
  if (savedUsd === 0 || savedUsd < leastUsd) return []
  return [model === incumbentModelId ? "keep_prompt_cache" : "enable_prompt_cache"]
}

const withoutNulls = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<Fields>

/** A field that no policy fills is null, and is absent from a short answer. */
const policyAnswer = ({ choice, context: { request, requestedNames } }: ChosenRequest) => {
  const said = { successValueUsedUsd: choice.criteria.valueUsd, ...unanswered }
  for (const { answered } of choice.fields) {
    if (answered !== undefined) Object.assign(said, answered(choice, (each) => namesOf(each, requestedNames)))
  }
  return request.detail === "short" ? withoutNulls(said) : said
}

export const withWarnings = (
  response: RecommendResponse,
  further: ReadonlyArray<RecommendWarning>
): RecommendResponse =>
  further.length === 0
    ? response
    : { ...response, warnings: byConsequence([...response.warnings, ...further]) }

export const responseOf = (decided: DecidedRequest): RecommendResponse => {
  const { choice, context, decision, escalated, latencyMs } = decided
  const { classified, query, request, settings, snapshot, requestedNames } = context
  const { criteria, fallback, pick, ranked } = choice
  const { detail, explain } = request
  const shown = shownModels(settings, choice, {
    detail, explain, requestedNames, taskType: classified.taskType, unit: unitOf(classified.cluster),
    nowMs: context.createdAt.getTime()
  })
  const isShort = detail === "short"
  return {
    recommendationId: context.recommendationId,
    recommendedModel: shown(pick),
    ...(isShort ? { recommendedRank: ranked.indexOf(pick) + 1 } : {}),
    ranked: ranked.filter((candidate) => !isShort || candidate !== pick).map(shown),
    fallbackModel: fallback === null ? null : shown(fallback),
    confidence: pick.confidence,
    decisionBasis: pick.decisionBasis,
    thresholdUsed: criteria.threshold,
    classifiedTaskType: classified.taskType,
    classifiedDifficulty: classified.difficulty,
    catalogVersion: snapshot.version,
    catalogStale: snapshot.stale,
    latencyMs: Math.round(latencyMs),
    warnings: decision.warnings,
    escalationReasons: escalated.reasons,
    selectionPolicy: criteria.selectionPolicy,
    ...policyAnswer(decided),
    recommendedActions: recommendedActions(settings, pick, query)
  }
}
