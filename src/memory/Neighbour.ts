/* One recalled outcome as an object, and the measurements of an outcome without a label. */
import type { OutcomeFields } from "../domain/feedback/OutcomeFields.ts"

/** One past outcome, as the aggregate and cost stages weigh it. */
export interface Neighbour extends Omit<OutcomeFields, "tags"> {
  readonly entryId: string
  /** Cosine in [-1, 1]. */
  readonly similarity: number
  /** The backend's belief in the entry, in [0, 1]; moved by reinforcement. */
  readonly reliability: number
  readonly ageDays: number
  /** Old, or older than a sustained change of its model on tasks of its cluster. */
  readonly isStale: boolean
  /** The share of its weight after such a change, in [0, 1]; 1 without one. */
  readonly currentShare: number
  /** Its bill is far above the estimate of every candidate. */
  readonly isCostOutlier: boolean
  /**
   * Which other actor's it is: a number that identifies the actor within a process only. Absent for the
   * asking actor's own, and so wherever the query limits the neighbours to those.
   */
  readonly actor?: number
}

/** Measurements of an outcome without a label: costs and latencies, and no success. */
export type Measurement = Pick<
  Neighbour,
  | "modelId" | "cluster" | "similarity" | "outputTokens" | "costUsd" | "latencyMs" | "timeToFirstTokenMs"
  | "isCostOutlier"
>

/** The measurements of a neighbour. */
export const measurementOf = (
  { cluster, costUsd, isCostOutlier, latencyMs, modelId, outputTokens, similarity,
    timeToFirstTokenMs }: Neighbour
): Measurement => ({
  cluster, costUsd, isCostOutlier, latencyMs, modelId, outputTokens, similarity, timeToFirstTokenMs
})
