/* A recalled outcome as an object. */
import type { OutcomeFields } from "../domain/feedback/OutcomeFields.ts"

/** A past outcome that the aggregate and cost stages weigh. */
export interface Neighbour extends Omit<OutcomeFields, "tags"> {
  readonly entryId: string
  /** Cosine in [-1, 1]. */
  readonly similarity: number
  /** Reliability of the entry after votes and age, in [0, 1]. */
  readonly reliability: number
  readonly ageDays: number
  /** Whether the outcome is old, or its model has changed in its cluster since. */
  readonly isStale: boolean
  /** Share of weight left after a change of the model, in [0, 1]; 1 without a change. */
  readonly currentShare: number
  /** Whether the cost is far above the estimates of all candidates. */
  readonly isCostOutlier: boolean
  /**
   * Number of the actor who reported the outcome, valid within one process. Absent for outcomes without an
   * actor, and if the query returns only the requesting actor's outcomes.
   */
  readonly actor?: number
}

/** An outcome without a label: cost, tokens and latencies, but no success. */
export type Measurement = Pick<
  Neighbour,
  | "modelId" | "cluster" | "similarity" | "outputTokens" | "costUsd" | "latencyMs" | "timeToFirstTokenMs"
  | "isCostOutlier"
>

export const measurementOf = (
  { cluster, costUsd, isCostOutlier, latencyMs, modelId, outputTokens, similarity,
    timeToFirstTokenMs }: Neighbour
): Measurement => ({
  cluster, costUsd, isCostOutlier, latencyMs, modelId, outputTokens, similarity, timeToFirstTokenMs
})
