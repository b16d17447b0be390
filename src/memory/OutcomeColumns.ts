/* The layout of an outcome's numbers, in which an index passes rows to the neighbours of a recall. */
import type { OutcomeFields } from "../domain/feedback/OutcomeFields.ts"

/**
 * The place of each number in an outcome's row. NaN means null. `belief` is the reliability before aging.
 * `currentShare` is the share of weight left after a change of the model. `cluster` is the cluster's number.
 */
export const outcomeColumn = {
  quality: 0, provenanceWeight: 1, propensity: 2, outputTokens: 3, costUsd: 4, latencyMs: 5, isCostOutlier: 6,
  actor: 7, belief: 8, currentShare: 9, cluster: 10, idHash: 11, timeToFirstTokenMs: 12
} as const
/** Numbers of an outcome, count. */
export const outcomeColumns = 13

export const measuredFields = ["costUsd", "outputTokens", "latencyMs", "timeToFirstTokenMs"] as const
export type MeasuredField = typeof measuredFields[number]

/** Characters at an id's end that are hashed. The last group of a UUID has 48 random bits. */
const idEndChars = 12

/** Hashes an entry's id to a signed 32-bit number. A collision costs one wrong hint. */
export const idHashOf = (entryId: string): number => {
  let hash = 0
  for (let i = Math.max(0, entryId.length - idEndChars); i < entryId.length; i++) {
    hash = Math.imul(hash, 31) + entryId.charCodeAt(i) | 0
  }
  return hash
}

/** Fields of an outcome that are needed only when the outcome is shown or sent. */
export interface RecalledOutcome extends Pick<OutcomeFields, "cluster" | "inputTokens"> {
  readonly observationId: string
}

/** Outcomes to add as neighbours. Item i of each list belongs to outcome i, except in `numbers`. */
export interface AddedRows {
  readonly outcomes: ReadonlyArray<RecalledOutcome>
  /** The numbers of outcome i begin at `starts[i]`, in the order of {@link outcomeColumn}. */
  readonly numbers: ArrayLike<number>
  readonly starts: ArrayLike<number>
  readonly similarities: ArrayLike<number>
  readonly agesDays: ArrayLike<number>
  /** 1 if the outcome is stale, otherwise 0. */
  readonly staleness: ArrayLike<number>
}
