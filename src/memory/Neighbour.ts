/* A recalled outcome as an object. */
import type { OutcomeFields } from "../domain/feedback/OutcomeFields.ts"

/** A past outcome that predictions of success and cost are made from. */
export interface Neighbour extends Omit<OutcomeFields, "tags"> {
  readonly entryId: string
  /** Similarity to the requested task, in [-1, 1]. */
  readonly similarity: number
  /** Reliability of the entry after votes and age, in [0, 1]. */
  readonly reliability: number
  readonly ageDays: number
  /** True if the outcome is older than `staleAfterDays`, or if `currentShare` is below 1. */
  readonly isStale: boolean
  /** Share of its weight that the outcome keeps after later changes of its model, in [0, 1]. */
  readonly currentShare: number
  /** True if the cost is far above the estimates of all candidates. */
  readonly isCostOutlier: boolean
  /** A number for the reporting actor; absent if unknown, or if a recall asked for only one actor. */
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
