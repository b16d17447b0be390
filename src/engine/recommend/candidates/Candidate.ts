/** A candidate model, with a type for each stage that adds to it. */
import type { Forecast } from "../../../domain/Decision.ts"
import type { ModelCard } from "../../../domain/model/Model.ts"
import type { DecisionBasis } from "../../../domain/RankedModel.ts"
import type { Cluster, Difficulty, TaskType } from "../../../domain/Task.ts"
import { type Neighbours, noNeighbours } from "../../../memory/Neighbours.ts"

export interface Classified {
  readonly taskType: TaskType
  /** The difficulty if it is known, else `medium`. */
  readonly difficulty: Difficulty
  readonly cluster: Cluster
  /** True if the caller or the reasoner named the difficulty, or if the text surely shows it. */
  readonly isDifficultyKnown: boolean
  /** Distance of the text's difficulty from medium, logit in [-2, 2]; null if the difficulty is known. */
  readonly difficultyLogit: number | null
  /** True if the caller gave no task type, and the classifier was not sure of the type. */
  readonly isUncertain: boolean
  readonly isRefined: boolean
}

export interface Candidate {
  readonly card: ModelCard
  /** Prior success for this task's difficulty, in (0, 1); the lane's level may have moved it. */
  readonly prior: number
  /** Weight of the prior in a prediction, outcomes. */
  readonly priorStrength: number
  /** The prior for a task of medium difficulty, logit. */
  readonly priorLogit: number
  /** Standard deviation of the model's success in lanes around the prior, logit. */
  readonly priorSpread: number
}

export interface WeighedNeighbours {
  readonly all: Neighbours
  /** Row numbers of the model's neighbours, heaviest first. */
  readonly rows: ReadonlyArray<number>
  /** The weight of each row in `rows`, >= 0. */
  readonly weights: ArrayLike<number>
  /** Number of the model's neighbours with a weight above 0. */
  readonly heavy: number
}

export const noneWeighed: WeighedNeighbours = { all: noNeighbours, rows: [], weights: [], heavy: 0 }

export const weightOf = ({ heavy, weights }: WeighedNeighbours): number => {
  let sum = 0
  for (let i = 0; i < heavy; i++) sum += weights[i]!
  return sum
}

export interface Predicted extends Candidate {
  readonly predictedSuccess: number
  /** Weight of the evidence behind the prediction, outcomes, > 0. */
  readonly sampleSize: number
  readonly successLow: number
  readonly successHigh: number
  readonly confidence: number
  readonly decisionBasis: DecisionBasis
  readonly forecast: Forecast
  /** Decayed weight of the model's outcomes: in the whole lane, and of the task's type. */
  readonly laneWeight: number
  readonly cellWeight: number
  /** Optimistic prediction for `choice/Optimism`, in [predictedSuccess, 1]. */
  readonly optimisticSuccess: number
  /** Prediction for `choice/Optimism`; a lane with enough outcomes raises the prior by one deviation. */
  readonly highPriorSuccess: number
  readonly neighbours: WeighedNeighbours
}

/** The source of a cost: list prices, bills of similar tasks, or the measured output at list prices. */
export type CostBasis = "estimate" | "observed" | "rescaled"

export interface CostEstimate {
  readonly costUsd: number
  readonly breakdown: Readonly<Record<string, number>>
  readonly lowUsd: number | null
  readonly highUsd: number | null
  readonly bandBasis: string
}

export interface TimeQuantiles {
  readonly p50: number
  readonly p75: number
}

export interface CostedCandidate extends Predicted {
  readonly cost: CostEstimate
  readonly costBasis: CostBasis
  /** Latency and time to the first token; each is null if no similar outcome measured it. */
  readonly latencyMs: TimeQuantiles | null
  readonly timeToFirstTokenMs: TimeQuantiles | null
}

export type CostedCandidates = readonly [CostedCandidate, ...Array<CostedCandidate>]

export interface Scored extends CostedCandidate {
  readonly score: number
}
