/** A candidate model: each stage adds its results. */
import type { Forecast } from "../../../domain/Decision.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { DecisionBasis } from "../../../domain/RankedModel.ts"
import type { Cluster, Difficulty, TaskType } from "../../../domain/Task.ts"
import { type Neighbours, noNeighbours } from "../../../memory/Neighbours.ts"

/** Task type and difficulty of a task, by the caller, the classifier or the reasoner. */
export interface Classified {
  readonly taskType: TaskType
  /** The difficulty by which all priors move; `medium` if it is not known. */
  readonly difficulty: Difficulty
  readonly cluster: Cluster
  /** Whether the caller or the reasoner named the difficulty, or the text surely shows it. */
  readonly isDifficultyKnown: boolean
  /** How much harder than medium the text reads, logit in [-2, 2]; null if the difficulty is known. */
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
}

/** The neighbours of one model and their weights in its prediction. */
export interface WeighedNeighbours {
  /** All that was recalled, of every model. */
  readonly all: Neighbours
  /** The model's rows, heaviest first; rows without weight last. */
  readonly rows: ReadonlyArray<number>
  /** The weight of each of these rows, >= 0. */
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
   * Optimistic prediction of a model with little evidence near the task, in [predictedSuccess, 1]. It counts
   * only if nothing cheaper is known to succeed (`choice/Optimism`).
   */
  readonly optimisticSuccess: number
  /** Prediction from a prior one standard deviation higher; it counts if no candidate is known to succeed. */
  readonly highPriorSuccess: number
  readonly neighbours: WeighedNeighbours
}

/** The basis of a cost: list prices, bills of similar tasks, or list prices with measured output. */
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

/** After cost: a candidate with its cost and latency. */
export interface CostedCandidate extends Predicted {
  readonly cost: CostEstimate
  readonly costBasis: CostBasis
  /** Latency of the whole call, and time to its first token; null if no similar outcome measured it. */
  readonly latencyMs: TimeQuantiles | null
  readonly timeToFirstTokenMs: TimeQuantiles | null
}

/** Priced candidates, never none: the filter fails rather than leave none. */
export type CostedCandidates = readonly [CostedCandidate, ...Array<CostedCandidate>]

/** After optimize: its final score, the sort key. */
export interface Scored extends CostedCandidate {
  readonly score: number
}
