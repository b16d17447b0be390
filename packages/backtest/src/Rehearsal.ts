/* The engine's formulas over one lane, for tasks with known dates and outcomes, as in a backtest. A
   rehearsal has no ledger, no reasoner and no exploration. */
import { Constraints } from "../../../src/domain/Constraints.ts"
import { isCostOutlier } from "../../../src/domain/CostOutlier.ts"
import { isTrusted, type Provenance } from "../../../src/domain/feedback/Feedback.ts"
import type { ModelCard } from "../../../src/domain/model/Model.ts"
import type { Difficulty, TaskInput, TaskType } from "../../../src/domain/Task.ts"
import { usageOf } from "../../../src/engine/learn/Usage.ts"
import { aggregateWith } from "../../../src/engine/recommend/Aggregate.ts"
import type {
  Classified, Predicted
} from "../../../src/engine/recommend/candidates/Candidate.ts"
import { type Criteria, criteriaOf } from "../../../src/engine/policies/Criteria.ts"
import { pickAt } from "../../../src/engine/recommend/choice/DecisionRule.ts"
import { objectiveOf } from "../../../src/engine/recommend/choice/Objective.ts"
import { optimistic } from "../../../src/engine/recommend/choice/Optimism.ts"
import { heuristic } from "../../../src/engine/recommend/Classify.ts"
import { costWith } from "../../../src/engine/recommend/Cost.ts"
import type { CostQuery } from "../../../src/engine/recommend/cost/ListCost.ts"
import { priorFactsOf, withPrior } from "../../../src/engine/recommend/prediction/Prior.ts"
import { defaults, type EngineSettings } from "../../../src/engine/Settings.ts"
import { type LaneEntry, measures } from "../../../src/memory/index/Entry.ts"
import { LaneIndex } from "../../../src/memory/index/LaneIndex.ts"
import { quantise } from "../../../src/memory/index/QuantisedVector.ts"
import type { MemorySettings } from "../../../src/memory/MemorySettings.ts"
import { noSpreadEvidence } from "../../../src/stats/DifficultySpread.ts"
import * as LaneNumbers from "../../../src/stats/LaneNumbers.ts"
import type { LoggedCall } from "../../../src/logs/LoggedCall.ts"

/** A row of a log, without its prompt's text. */
export interface LogRow extends Pick<
  LoggedCall,
  | "cachedInputTokens" | "cacheWriteInputTokens" | "costUsd" | "inputTokens"
  | "isInfraFailure" | "latencyMs" | "outputTokens"
  | "quality" | "reasoningTokens" | "serviceTier" | "tags" | "webSearches"
> {
  readonly id: string
  readonly atMs: number
  readonly model: number
  /** Hash of the user, in [0, 2^32); 0 if the row names no user. */
  readonly user: number
  /** A key of the task: its name, else a hash of its user and text; null without a name and a text. */
  readonly task: string | null
  readonly isTaskNamed: boolean
  readonly classified: Classified
  readonly provenance: Provenance
  /** The embedding of the task's text; null without a text. */
  readonly vector: Float32Array | null
}

/** Classifies a task by its text, else by the given type and difficulty, else as `other` or medium. */
export const classifyTask = (
  task: string | null,
  taskType: TaskType | null,
  difficulty: Difficulty | null
): Classified =>
  heuristic({
    task: task ?? "", taskType: task === null ? taskType ?? "other" : taskType,
    difficulty: task === null ? difficulty ?? "medium" : difficulty,
    unit: "call", expectedInputTokens: null, expectedOutputTokens: null, tags: []
  })

/** The cost of a call's tokens at list prices, as in a feedback without a bill; null if not known. */
export const computedUsdOf = (
  card: ModelCard,
  tokens: Pick<
    LogRow,
    | "cachedInputTokens" | "cacheWriteInputTokens" | "inputTokens" | "outputTokens" | "reasoningTokens"
    | "serviceTier" | "webSearches"
  >
): number | null =>
  usageOf(defaults, {
    ...tokens, cacheWriteHourInputTokens: null, actualCostUsd: null, latencyMs: null, timeToFirstTokenMs: null
  }, card).computedCostUsd

/** What a row tells before a model runs its task. */
export type RehearsedTask = Pick<LogRow, "atMs" | "classified" | "inputTokens" | "tags" | "vector">

/** The engine's predictions by candidate, and the pick of each slider. */
export interface Rehearsed {
  readonly predicted: ReadonlyArray<Predicted>
  readonly success: Float64Array
  readonly expectedUsd: Float64Array
  readonly picks: Int32Array
}

/** Unknown fields are null. */
export interface RehearsedOutcome
  extends Pick<LogRow, "costUsd" | "inputTokens" | "latencyMs" | "outputTokens" | "provenance" | "quality">
{
  readonly observationId: string
  readonly modelId: string
}

export interface Rehearsal {
  readonly ask: (task: RehearsedTask) => Rehearsed
  /** Learns from a task's outcome, for the predictions of later tasks. */
  readonly learn: (task: RehearsedTask, asked: Rehearsed, outcome: RehearsedOutcome) => void
}

interface RehearsalOptions {
  readonly cards: ReadonlyArray<ModelCard>
  /** Settings of the cost/quality slider, in [0, 10]; each setting picks a candidate for every task. */
  readonly sliders: ReadonlyArray<number>
  readonly dimensions: number
  readonly settings: EngineSettings
  readonly memory: MemorySettings
  readonly beganMs: number
}

const queryOf = ({ classified, inputTokens, tags }: RehearsedTask, recalled: CostQuery["measurements"]) => ({
  task: {
    task: "", taskType: null, difficulty: null, unit: "call", tags,
    expectedInputTokens: inputTokens, expectedOutputTokens: null
  } satisfies TaskInput,
  classified,
  caching: { requirePromptCaching: false, incumbentModelId: null },
  measurements: recalled
})

const criteriaAt = (settings: EngineSettings, slider: number): Criteria =>
  criteriaOf(settings, {
    constraints: Constraints.make({}), costQualityTradeoff: slider, optimizeFor: "cost", successValueUsd: null
  }, "argmin")

const entryOf = (
  { provenanceWeight }: Pick<EngineSettings, "provenanceWeight">,
  { atMs, classified: { cluster }, tags }: RehearsedTask,
  premiumUsd: number,
  { costUsd, inputTokens, latencyMs, modelId, observationId, outputTokens, ...label }: RehearsedOutcome
): LaneEntry => ({
  observationId, modelId, cluster, tags, inputTokens, outputTokens, costUsd, latencyMs,
  timeToFirstTokenMs: null,
  quality: label.quality ?? 0,
  provenanceWeight: label.quality === null ? 0 : provenanceWeight[label.provenance],
  propensity: null,
  userId: null,
  isCostOutlier: isCostOutlier(costUsd, premiumUsd),
  isWeak: !isTrusted(label.provenance),
  occurredAtMs: atMs,
  votesUp: 0,
  votesDown: 0
})

/** Makes a rehearsal that begins with an empty memory. */
export const makeRehearsal = (
  { beganMs, cards, dimensions, memory, settings, sliders }: RehearsalOptions
): Rehearsal => {
  const facts = cards.map((card) => priorFactsOf(settings, card))
  const modelIds = cards.map(({ modelId }) => modelId)
  const all = sliders.map((slider) => criteriaAt(settings, slider))
  const lane = new LaneIndex(dimensions, memory, beganMs)
  const noVector = new Float32Array(dimensions)
  let numbers = settings.laneStart

  const picksOf = (predicted: ReadonlyArray<Predicted>, query: CostQuery) => {
    const priced = costWith(settings, predicted, query)
    const picks = Int32Array.from(all, (criteria) => {
      const { objective } = objectiveOf(settings, criteria, priced)
      const picked = pickAt(objective, optimistic(objective, priced, criteria.threshold), criteria.threshold)
      return modelIds.indexOf(picked?.card.modelId ?? "")
    })
    return { picks, expectedUsd: Float64Array.from(priced, ({ cost }) => cost.costUsd) }
  }

  const ask = (task: RehearsedTask): Rehearsed => {
    const { atMs, classified, tags, vector } = task
    const recalled = lane.recall({
      vector: vector ?? noVector, modelIds, tags, perModel: settings.recallPerModel,
      cluster: classified.cluster, userId: null,
      nowMs: atMs
    })
    const candidates = facts.map((each) => withPrior(settings, each, classified))
    const { isDifficultyKnown } = classified
    const predicted = aggregateWith(settings, candidates, { recalled, numbers, isDifficultyKnown, tags })
    return {
      predicted,
      success: Float64Array.from(predicted, ({ predictedSuccess }) => predictedSuccess),
      ...picksOf(predicted, queryOf(task, recalled.measurements))
    }
  }

  const calibrate = (
    asked: Rehearsed,
    { modelId, quality }: RehearsedOutcome,
    weight: number
  ): void => {
    const forecast = asked.predicted[modelIds.indexOf(modelId)]?.forecast
    if (forecast === undefined || quality === null) return
    const trial = { ...forecast, success: quality, weight, spreadEvidence: noSpreadEvidence }
    numbers = LaneNumbers.observe(numbers, trial, settings.laneRule)
  }

  return {
    ask,
    learn: (task, asked, outcome) => {
      const vector = task.vector === null ? null : quantise(task.vector)
      const entry = entryOf(settings, task, Math.max(...asked.expectedUsd), outcome)
      if (entry.provenanceWeight > 0) {
        lane.upsert(entry, vector)
        calibrate(asked, outcome, entry.provenanceWeight)
      } else if (measures({ ...outcome, provenance: "none" })) lane.measure(entry, vector)
    }
  }
}
