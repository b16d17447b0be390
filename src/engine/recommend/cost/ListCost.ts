/** The cost of a request at list prices, for its expected tokens. */
import { cacheIdOf, servedModel } from "../../../catalog/Offerings.ts"
import { type Cost, costOf, usdOf } from "../../../domain/model/Cost.ts"
import { type CatalogSnapshot, type ModelCard, verbosityOf } from "../../../domain/model/Model.ts"
import type { RecommendRequest } from "../../../domain/Recommendation.ts"
import * as Rounding from "../../../domain/Rounding.ts"
import type { TaskInput, Unit } from "../../../domain/Task.ts"
import { textTokens } from "../../../domain/text/TextTokens.ts"
import type { Neighbours } from "../../../memory/Neighbours.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Classified, CostEstimate } from "../candidates/Candidate.ts"

interface Caching {
  readonly requirePromptCaching: boolean
  /** Id of the incumbent's prompt cache (`cacheIdOf`); null if the request names no known incumbent. */
  readonly incumbentModelId: string | null
}

interface Billing extends Caching {
  readonly unit: Unit
}

export interface CostQuery {
  readonly task: TaskInput
  readonly classified: Classified
  readonly caching: Caching
  /** Outcomes with measurements of tokens, cost or time, but without a label. */
  readonly measurements: Neighbours
}

export interface ListCostQuery extends Pick<CostQuery, "caching" | "task"> {
  readonly classified: Pick<Classified, "difficulty" | "taskType">
}

export type ListCostRule = Pick<
  EngineSettings,
  | "tokensByTaskType" | "outputByDifficulty" | "verbosityExponent" | "verbosityMin" | "verbosityMax"
  | "cachedInputShare" | "tokensByRun"
>

/** Aliases and variants of the incumbent count as the same model. */
export const cachingOf = (
  snapshot: CatalogSnapshot,
  { constraints: { requirePromptCaching }, incumbentModelId }: Pick<
    RecommendRequest, "constraints" | "incumbentModelId"
  >
): Caching => {
  const card = incumbentModelId === null ? undefined : servedModel(snapshot, incumbentModelId)
  return { requirePromptCaching, incumbentModelId: card === undefined ? null : cacheIdOf(card) }
}

const textLengths = new WeakMap<TaskInput, number>()

const tokensOfText = (task: TaskInput): number => {
  const known = textLengths.get(task) ?? Math.ceil(textTokens(task.task))
  textLengths.set(task, known)
  return known
}

/**
 * Returns the caller's number of input tokens or, without it, a default that is at least the tokens of the
 * task's text. The default number of input tokens depends on a run's difficulty or a call's task type.
 */
export const inputTokens = (
  { outputByDifficulty, tokensByRun, tokensByTaskType }: ListCostRule,
  task: TaskInput,
  { difficulty, taskType }: ListCostQuery["classified"]
): number => {
  if (task.expectedInputTokens !== null) return task.expectedInputTokens
  const usual = task.unit === "run"
    ? (tokensByRun.input + tokensByRun.cachedInput) * outputByDifficulty[difficulty]
    : tokensByTaskType[taskType].input
  return Math.max(usual, tokensOfText(task))
}

/** Ratio of a variant's output to its model's output: verbosity^0.7, clipped; 1 without a variant. */
export const outputFactor = (
  { verbosityExponent, verbosityMax, verbosityMin }: ListCostRule,
  card: ModelCard
): number => Math.min(verbosityMax, Math.max(verbosityMin, verbosityOf(card) ** verbosityExponent))

/** Output tokens without a variant: the caller's number, or the default by type, unit and difficulty. */
export const plainOutputTokens = (
  { outputByDifficulty, tokensByRun, tokensByTaskType }: ListCostRule,
  task: TaskInput,
  { difficulty, taskType }: ListCostQuery["classified"]
): number => {
  const { output } = task.unit === "run" ? tokensByRun : tokensByTaskType[taskType]
  return task.expectedOutputTokens ?? output * outputByDifficulty[difficulty]
}

/** Output tokens of a model or variant: {@link plainOutputTokens} times {@link outputFactor}. */
export const outputTokens = (
  settings: ListCostRule,
  task: TaskInput,
  classified: ListCostQuery["classified"],
  card: ModelCard
): number => plainOutputTokens(settings, task, classified) * outputFactor(settings, card)

/** Share of input from a cache, in [0, 1]. A run's calls are assumed to keep its cache warm. */
const cachedShare = (
  { cachedInputShare, tokensByRun: { cachedInput, input } }: ListCostRule,
  card: ModelCard,
  { incumbentModelId, requirePromptCaching, unit }: Billing
): number => {
  if (!card.supportsPromptCaching) return 0
  if (unit === "run") return cachedInput / (input + cachedInput)
  return requirePromptCaching || incumbentModelId === cacheIdOf(card) ? cachedInputShare : 0
}

export const listCost = (
  settings: ListCostRule,
  card: ModelCard,
  { caching, classified, task }: ListCostQuery,
  output = outputTokens(settings, task, classified, card)
): Cost => {
  const input = inputTokens(settings, task, classified)
  const cachedInput = input * cachedShare(settings, card, { ...caching, unit: task.unit })
  return costOf(card, { input, cachedInput, output }, task.unit)
}

export const cacheWarmthUsd = (settings: ListCostRule, card: ModelCard, query: CostQuery): number =>
  listCost(settings, card, { ...query, caching: { ...query.caching, incumbentModelId: null } }).inputUsd
  - listCost(settings, card, query).inputUsd

/** Cost of a task of type `other` and medium difficulty, USD, whatever the request. */
export const standardUsd = (settings: ListCostRule, card: ModelCard): number => {
  const { input, output } = settings.tokensByTaskType.other
  return usdOf(card, { input, output: output * outputFactor(settings, card) })
}

export const estimate = (
  settings: ListCostRule,
  card: ModelCard,
  query: ListCostQuery
): CostEstimate => {
  const { inputUsd, outputUsd } = listCost(settings, card, query)
  const [input, output] = [Rounding.usd(inputUsd), Rounding.usd(outputUsd)]
  return {
    costUsd: Rounding.usd(input + output), breakdown: { input, output },
    lowUsd: null, highUsd: null, bandBasis: ""
  }
}
