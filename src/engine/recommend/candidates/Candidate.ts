/** A candidate model: each stage adds its results. */
import type { Forecast } from "../../../domain/Decision.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { DecisionBasis } from "../../../domain/RankedModel.ts"
import type { Cluster, Difficulty, TaskType } from "../../../domain/Task.ts"
import { type Neighbours, noNeighbours } from "../../../memory/Neighbours.ts"

/** Task type and difficulty of a task, by the caller, the classifier or the reasoner. */
export interface Classified {
  readonly taskType: TaskType
  /** The level by which priors move whole; `medium` where it is not known. */
  readonly difficulty: Difficulty
  readonly cluster: Cluster
  /** Whether the caller or the reasoner named the difficulty, or the text surely shows it. */
  readonly isDifficultyKnown: boolean
  /** How much harder than medium the text reads, logit in [-2, 2]; null where the difficulty is known. */
  readonly difficultyLogit: number | null
  /** Whether the classifier abstained or was close to it; a type that the caller gave is never uncertain. */
  readonly isUncertain: boolean
  /** Whether the reasoner refined it. */
  readonly isRefined: boolean
}

/** After filter: a model that may run the task. */
export interface Candidate {
  readonly card: ModelCard
  /** Expected success before any outcome, for this difficulty, in (0, 1). */
  readonly prior: number
  /** Outcomes that the prior weighs as. */
  readonly priorStrength: number
  /** The prior for a task of medium difficulty, logit. */
  readonly priorLogit: number
  /** Distance of such models from their prior in a lane, standard deviation, logit. */
  readonly priorSpread: number
  /** Its account has paid for the next call already; absent where it has not. */
  readonly isPrepaid?: true
}

/** The neighbours of one model and what they weigh in its prediction. */
export interface WeighedNeighbours {
  /** All that was recalled, of every model. */
  readonly all: Neighbours
  /** The rows of this model's, heaviest first; those without weight last. */
  readonly rows: ReadonlyArray<number>
  /** What each of these rows weighs, >= 0. */
  readonly weights: ArrayLike<number>
  /** How many of them have a weight. */
  readonly heavy: number
}

/** No neighbours. */
export const noneWeighed: WeighedNeighbours = { all: noNeighbours, rows: [], weights: [], heavy: 0 }

/** Sum of the weights, heaviest first. */
export const weightOf = ({ heavy, weights }: WeighedNeighbours): number => {
  let sum = 0
  for (let i = 0; i < heavy; i++) sum += weights[i]!
  return sum
}

/** After aggregate: how likely it clears the task. */
export interface Predicted extends Candidate {
  readonly predictedSuccess: number
  /** Outcomes that the prediction is worth, > 0. */
  readonly sampleSize: number
  readonly successLow: number
  readonly successHigh: number
  readonly confidence: number
  readonly decisionBasis: DecisionBasis
  readonly forecast: Forecast
  /** Decayed weight of the model's outcomes in the lane, and of those of the task's type. */
  readonly laneWeight: number
  readonly cellWeight: number
  /**
   * Optimistic prediction for a kind of task where the model is hardly known, in [predictedSuccess, 1]. It
   * counts only where nothing cheaper is known to succeed (`choice/Optimism`).
   */
  readonly optimisticSuccess: number
  /** Prediction from a prior one standard deviation higher; counts where no candidate is known to succeed. */
  readonly highPriorSuccess: number
  readonly neighbours: WeighedNeighbours
}

/** What a cost rests on: list prices, bills of similar tasks, or list prices with measured output. */
export type CostBasis = "estimate" | "observed" | "rescaled"

/** A cost in USD with its parts by name, and a band where outcomes give one. */
export interface CostEstimate {
  readonly costUsd: number
  readonly breakdown: Readonly<Record<string, number>>
  readonly lowUsd: number | null
  readonly highUsd: number | null
  readonly bandBasis: string
}

/** Quantiles of a time on similar tasks, milliseconds. */
export interface TimeQuantiles {
  readonly p50: number
  readonly p75: number
}

/** After cost: what it would cost and how long it would take. */
export interface CostedCandidate extends Predicted {
  readonly cost: CostEstimate
  readonly costBasis: CostBasis
  /** Of the whole call, and of the time to its first token; null where no similar outcome measured it. */
  readonly latencyMs: TimeQuantiles | null
  readonly timeToFirstTokenMs: TimeQuantiles | null
}

/** What one more call is left to cost, USD: nothing where its tokens are paid already. */
export const marginalUsd = (
  { cost, isPrepaid }: Pick<CostedCandidate, "cost" | "isPrepaid">
): number => isPrepaid === true ? 0 : cost.costUsd

/** Priced candidates, never none: the filter fails rather than leave none. */
export type CostedCandidates = readonly [CostedCandidate, ...Array<CostedCandidate>]

/** After optimize: its final score, the sort key. */
export interface Scored extends CostedCandidate {
  readonly score: number
}
