import type { Forecast } from "../../../domain/Decision.ts"
import type { ModelCard } from "../../../domain/Model.ts"
import type { DecisionBasis } from "../../../domain/Recommendation.ts"
import type { Cluster, Difficulty, TaskType } from "../../../domain/Task.ts"
import type { Neighbour } from "../../../memory/Memory.ts"

/** What the task is, and who said so. */
export interface Classified {
  readonly taskType: TaskType
  readonly difficulty: Difficulty
  readonly cluster: Cluster
  readonly isDifficultyGiven: boolean
  /** The classifier abstained or was close to it; the caller's own word is never uncertain. */
  readonly isUncertain: boolean
  readonly isRefined: boolean
}

/** The value that travels and grows through the stages: a model that may run the task. */
export interface Candidate {
  readonly card: ModelCard
  /** Benchmark prior recentred on the allowed pool, in (0, 1). */
  readonly prior: number
  /** Outcomes that the prior weighs as. */
  readonly priorStrength: number
  /** The prior for a task of medium difficulty, logit, and how far models lie from it in a lane. */
  readonly priorLogit: number
  readonly priorSpread: number
}

/** A neighbour and what it weighs in its model's prediction, >= 0. */
export interface Weighted {
  readonly neighbour: Neighbour
  readonly weight: number
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
  /** Decayed weight of the model's outcomes in the lane. */
  readonly laneWeight: number
  /**
   * What it might do in a kind of task where it is hardly known, in [predictedSuccess, 1]. Only counts where
   * nothing cheaper is known to do (`Optimism.ts`).
   */
  readonly optimisticSuccess: number
  /** Heaviest first; those without weight last. */
  readonly neighbours: ReadonlyArray<Weighted>
}

export type CostBasis = "estimate" | "observed" | "rescaled"

export interface CostEstimate {
  readonly costUsd: number
  readonly breakdown: Readonly<Record<string, number>>
  readonly lowUsd: number | null
  readonly highUsd: number | null
  readonly bandBasis: string
}

/** After cost: what it would cost and how long it would take. */
export interface Priced extends Predicted {
  readonly cost: CostEstimate
  readonly costBasis: CostBasis
  /** 75th percentile over similar outcomes; null without latency history. */
  readonly latencyMsP75: number | null
}

/** After optimize: its final score, the sort key. */
export interface Scored extends Priced {
  readonly score: number
}
