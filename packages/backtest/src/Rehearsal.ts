/*
 * Conductor of a rehearsal: the formulas of all stages over one lane in this process, for tasks whose dates
 * and outcomes are known beforehand. A backtest asks it; it has no ledger, no reasoner and no exploration.
 */
import { Constraints } from "../../../src/domain/Constraints.ts"
import { outcomeByQuality } from "../../../src/domain/Feedback.ts"
import type { ModelCard } from "../../../src/domain/model/Model.ts"
import type { Difficulty, TaskInput, TaskType } from "../../../src/domain/Task.ts"
import { measures } from "../../../src/memory/index/Entry.ts"
import { LaneIndex } from "../../../src/memory/index/LaneIndex.ts"
import type { MemorySettings } from "../../../src/memory/MemorySettings.ts"
import * as DifficultySpread from "../../../src/stats/DifficultySpread.ts"
import * as LaneNumbers from "../../../src/stats/LaneNumbers.ts"
import { taughtWeight } from "../../../src/stats/TaskDifficulty.ts"
import { usageOf } from "../../../src/engine/learn/Usage.ts"
import { aggregateWith } from "../../../src/engine/recommend/Aggregate.ts"
import { condition } from "../../../src/engine/recommend/attempts/Condition.ts"
import { checkErrors } from "../../../src/engine/recommend/attempts/KnownAttempts.ts"
import type {
  Classified, Predicted
} from "../../../src/engine/recommend/candidates/Candidate.ts"
import { objectiveOf } from "../../../src/engine/recommend/choice/Objective.ts"
import { optimistic } from "../../../src/engine/recommend/choice/Optimism.ts"
import { type Goal, goalOf } from "../../../src/engine/recommend/choice/Choose.ts"
import { pickAt } from "../../../src/engine/recommend/choice/DecisionRule.ts"
import { heuristic } from "../../../src/engine/recommend/Classify.ts"
import { costWith } from "../../../src/engine/recommend/Cost.ts"
import type { CostQuery } from "../../../src/engine/recommend/cost/ListCost.ts"
import { priorFactsOf, withPrior } from "../../../src/engine/recommend/prediction/Prior.ts"
import type { EngineSettings } from "../../../src/engine/Settings.ts"
import { entryOf, type JudgedAttempt, type RehearsedOutcome } from "./RehearsedOutcome.ts"

/** Type and difficulty of a task: as they are given, else as its text is read, and `other` without a text. */
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

/** What a call's tokens come to at list prices, as a feedback without a bill counts; null where unknown. */
export const computedUsdOf = (
  card: ModelCard,
  tokens: {
    readonly inputTokens: number | null
    readonly cachedInputTokens: number | null
    readonly outputTokens: number | null
    readonly reasoningTokens: number | null
  }
): number | null =>
  usageOf({ ...tokens, actualCostUsd: null, latencyMs: null, timeToFirstTokenMs: null }, card).computedCostUsd

/** What is known of a task before any model ran it. */
export interface RehearsedTask {
  /** The moment at which it is asked, ms since 1970: the clock of the rehearsal. */
  readonly atMs: number
  readonly classified: Classified
  readonly tags: ReadonlyArray<string>
  /** Direction of its text; all zero for a task without one. */
  readonly vector: Float32Array
  /** Tokens of its input; null for the default of its type. */
  readonly inputTokens: number | null
}

/** What the stages say of a task, by candidate in the order given, and of each aim's pick. */
export interface Rehearsed {
  readonly predicted: ReadonlyArray<Predicted>
  /** Predicted success and expected cost by candidate. */
  readonly success: Float64Array
  readonly expectedUsd: Float64Array
  /** By aim, the index of the candidate that it picks. */
  readonly picks: Int32Array
}

/** The engine over one lane that begins empty. */
export interface Rehearsal {
  readonly ask: (task: RehearsedTask) => Rehearsed
  /**
   * Teaches an outcome as a feedback would, but for votes on neighbours and lessons.
   *
   * @param before judged attempts at the task before it: what they say of the task is no fault of the model.
   * After them the quality of a model that is no candidate is not taught: no one predicted it
   */
  readonly learn: (
    task: RehearsedTask,
    asked: Rehearsed,
    outcome: RehearsedOutcome,
    before: ReadonlyArray<JudgedAttempt>
  ) => void
}

/** What a request may ask for: a slider, in [0, 10], or a value of success, USD; the other is null. */
export interface Aim {
  readonly slider: number | null
  readonly valueUsd: number | null
}

/** What a rehearsal runs on: its candidates, and the aims that pick among them. */
interface RehearsalOptions {
  readonly cards: ReadonlyArray<ModelCard>
  readonly aims: ReadonlyArray<Aim>
  /** Of the vectors of texts. */
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

/** The goal of a request that has an aim and nothing else; a value takes the place of any slider. */
const goalAt = (settings: EngineSettings, { slider, valueUsd }: Aim): Goal =>
  goalOf(settings, {
    constraints: Constraints.make({}), costQualityTradeoff: slider ?? 0, optimizeFor: "cost",
    successValueUsd: valueUsd
  }, "argmin")

/**
 * What an outcome weighs after the judged attempts before it, in [0, 1], as a feedback's would, and what it
 * says of the spread of difficulty. That of a model which is no candidate weighs 0: nothing predicted it.
 */
const taughtAfter = (
  { cards, numbers, settings }: Pick<RehearsalOptions, "cards" | "settings"> & {
    readonly numbers: LaneNumbers.LaneNumbers
  },
  { classified }: RehearsedTask,
  { predicted }: Rehearsed,
  { modelId, provenance, quality }: RehearsedOutcome,
  before: ReadonlyArray<JudgedAttempt>
): { readonly taskWeight: number; readonly spreadEvidence: DifficultySpread.SpreadEvidence } => {
  const { noSpreadEvidence } = DifficultySpread
  if (before.length === 0 || quality === null) return { taskWeight: 1, spreadEvidence: noSpreadEvidence }
  const spread = DifficultySpread.spreadOf(numbers.spreadEvidence, settings.difficultySpread)
  const attempts = before.map((each) => ({
    modelId: each.modelId,
    verdict: { passed: each.passed, ...checkErrors(settings, each.provenance, null) }
  }))
  const after = condition(settings, predicted, { attempts, made: attempts.length, taskKey: null }, {
    classified, spread, snapshot: { models: cards }
  })
  const forecast = after.candidates.find(({ card }) => card.modelId === modelId)?.forecast
  const outcome = outcomeByQuality(quality, settings.qualityBand)
  const weight = settings.provenanceWeight[provenance]
  return {
    taskWeight: forecast?.given === undefined ? 0 : taughtWeight(forecast.mixed, forecast.given, quality),
    spreadEvidence: outcome === "partial"
      ? noSpreadEvidence
      : DifficultySpread.evidenceOf(after.bySpread(modelId), outcome === "success", weight)
  }
}

/** A rehearsal over an empty lane. */
export const makeRehearsal = (
  { aims, beganMs, cards, dimensions, memory, settings }: RehearsalOptions
): Rehearsal => {
  const facts = cards.map((card) => priorFactsOf(settings, card))
  const modelIds = cards.map(({ modelId }) => modelId)
  const goals = aims.map((aim) => goalAt(settings, aim))
  const lane = new LaneIndex(dimensions, memory, beganMs)
  let numbers = settings.laneStart

  const picksOf = (predicted: ReadonlyArray<Predicted>, query: CostQuery) => {
    const priced = costWith(settings, predicted, query)
    const picks = Int32Array.from(goals, (goal) => {
      const { objective } = objectiveOf(settings, goal, priced)
      const picked = pickAt(objective, optimistic(objective, priced, goal.threshold), goal.threshold)
      return modelIds.indexOf(picked?.card.modelId ?? "")
    })
    return { picks, expectedUsd: Float64Array.from(priced, ({ cost }) => cost.costUsd) }
  }

  const ask = (task: RehearsedTask): Rehearsed => {
    const { atMs, classified, tags, vector } = task
    const recalled = lane.recall({
      vector, modelIds, tags, perModel: settings.recallPerModel, cluster: classified.cluster, userId: null,
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
    weight: number,
    spreadEvidence: DifficultySpread.SpreadEvidence
  ): void => {
    const forecast = asked.predicted[modelIds.indexOf(modelId)]?.forecast
    if (forecast === undefined || quality === null) return
    const trial = { ...forecast, success: quality, weight, spreadEvidence }
    numbers = LaneNumbers.observe(numbers, trial, settings.laneRule)
  }

  return {
    ask,
    learn: (task, asked, outcome, before) => {
      const known = { settings, cards, numbers }
      const { spreadEvidence, taskWeight } = taughtAfter(known, task, asked, outcome, before)
      const { atMs, classified: { cluster }, tags } = task
      const premiumUsd = Math.max(...asked.expectedUsd)
      const entry = entryOf(settings, { atMs, cluster, tags, premiumUsd, taskWeight }, outcome)
      if (entry.provenanceWeight > 0) {
        lane.upsert(entry, outcome.vector)
        calibrate(asked, outcome, entry.provenanceWeight, spreadEvidence)
      } else if (measures({ ...outcome, provenance: "none" })) lane.measure(entry, outcome.vector)
    }
  }
}
