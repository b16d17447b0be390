/** The answer to a recommendation request. */
import { cacheIdOf } from "../../../catalog/Offerings.ts"
import type { RecommendResponse } from "../../../domain/Recommendation.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Scored } from "../candidates/Candidate.ts"
import type { Goal } from "../choice/Choose.ts"
import { advisesNone, hasRun, shownPlan } from "../choice/Plan.ts"
import {
  cacheWarmthUsd, type CostQuery, inputTokens, listCost, type ListCostRule
} from "../cost/ListCost.ts"
import { namesOf, type RankedModelRule, shownModels } from "../explanation/RankedModel.ts"
import type { DecisionFacts } from "./DecisionRecord.ts"
import { switchReason } from "./SwitchReason.ts"

/** Explanations, list costs, and where a prompt cache is worth saying. */
type CacheRule = ListCostRule & Pick<EngineSettings, "promptCacheInputTokens" | "promptCacheSavedShare">
export type ResponseRule = RankedModelRule & CacheRule

/**
 * Near-free ways to save on calls like this: a cache that the incumbent already holds is to be kept warm, any
 * other to be turned on, where reading it takes a share worth saying off the cost.
 */
export const recommendedActions = (
  settings: CacheRule,
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

/** The fields that are not null. */
const said = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<Fields>

/** The answer: the ranked models as the caller reads them, and what was decided among them. */
export const responseOf = (
  settings: ResponseRule,
  facts: DecisionFacts,
  goal: Goal,
  query: CostQuery,
  spellings: ReadonlyMap<string, string>
): RecommendResponse => {
  const { classified, optimized, request, snapshot } = facts
  const { fallback, pick, plan, ranked } = optimized
  const { detail, explain } = request
  const nowMs = facts.createdAt.getTime()
  const question = { detail, explain, taskType: classified.taskType, nowMs, spellings }
  const perhaps = {
    successValueUsedUsd: goal.valueUsd,
    guarantee: optimized.guaranteed?.answer ?? null,
    plan: plan === null ? null : shownPlan(plan, (candidate) => namesOf(candidate, spellings)),
    attemptNumber: plan === null || advisesNone(plan) ? null : plan.goal.made + 1,
    isRetry: plan === null ? null : hasRun(plan.goal, pick),
    switchReason: switchReason(goal, optimized, facts.priced, (candidate) =>
      candidate.costBasis === "observed" ? 0 : cacheWarmthUsd(settings, candidate.card, query))
  }
  const shown = shownModels(settings, goal, optimized, question)
  const isShort = detail === "short"
  return {
    recommendationId: facts.recommendationId,
    recommendedModel: shown(pick),
    ...(isShort ? { recommendedRank: ranked.indexOf(pick) + 1 } : {}),
    ranked: ranked.filter((candidate) => !isShort || candidate !== pick).map(shown),
    fallbackModel: fallback === null ? null : shown(fallback),
    confidence: pick.confidence,
    decisionBasis: pick.decisionBasis,
    thresholdUsed: goal.threshold,
    classifiedTaskType: classified.taskType,
    classifiedDifficulty: classified.difficulty,
    catalogVersion: snapshot.version,
    catalogStale: snapshot.stale,
    latencyMs: Math.round(facts.latencyMs),
    warnings: facts.warnings,
    escalationReasons: facts.escalationReasons,
    selectionPolicy: goal.selectionPolicy,
    ...(isShort ? said(perhaps) : perhaps),
    recommendedActions: recommendedActions(settings, pick, query)
  }
}
