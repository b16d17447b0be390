import type { ModelCard } from "../../domain/Model.ts"
import type { TaskInput } from "../../domain/Task.ts"
import type { defaults } from "../Settings.ts"
import type { Classified } from "./Candidate.ts"

/** What decides how a request's input is billed. */
export interface Caching {
  readonly requirePromptCaching: boolean
  readonly incumbentModelId: string | null
}

const perMtok = 1_000_000

/** Tokens of this request: as given, 0 included, else the task type's default. */
export const inputTokens = (settings: typeof defaults, task: TaskInput, classified: Classified): number =>
  task.expectedInputTokens ?? settings.tokensByTaskType[classified.taskType].input

/** Output tokens that a model would write: as given, else type default x difficulty x verbosity^0.7. */
export const outputTokens = (
  settings: typeof defaults,
  task: TaskInput,
  classified: Classified,
  card: ModelCard
): number => {
  if (task.expectedOutputTokens !== null) return task.expectedOutputTokens
  const verbosity = Math.min(
    settings.verbosityMax,
    Math.max(settings.verbosityMin, card.verbosity ** settings.verbosityExponent)
  )
  return settings.tokensByTaskType[classified.taskType].output
    * settings.outputByDifficulty[classified.difficulty] * verbosity
}

/** What a warm prompt cache takes off the input's bill for this model, USD, >= 0. */
export const cacheSavingUsd = (
  settings: typeof defaults,
  card: ModelCard,
  input: number,
  caching: Caching
): number => {
  const isCached = card.supportsPromptCaching && card.cacheReadCostPerMtok !== null
    && (caching.requirePromptCaching || caching.incumbentModelId === card.modelId)
  if (!isCached) return 0
  const perToken = Math.max(0, card.inputCostPerMtok - (card.cacheReadCostPerMtok ?? 0)) / perMtok
  return input * settings.cachedInputShare * perToken
}

/** Input cost, cached share included, USD. */
export const inputCostUsd = (
  settings: typeof defaults,
  card: ModelCard,
  input: number,
  caching: Caching
): number => (input * card.inputCostPerMtok) / perMtok - cacheSavingUsd(settings, card, input, caching)

/** Output cost, USD. */
export const outputCostUsd = (card: ModelCard, output: number): number =>
  (output * card.outputCostPerMtok) / perMtok
