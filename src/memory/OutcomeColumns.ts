/* The layout of an outcome's numbers in a row, which a lane's index passes to the neighbours of a recall. */
import type { OutcomeFields } from "../domain/feedback/OutcomeFields.ts"

/**
 * The index of each number in an outcome's row. A missing number is NaN. In a lane's index, `belief` is the
 * reliability before the effect of age. `currentShare` is the share of its weight that the outcome keeps
 * after a change of its model.
 */
export const outcomeColumn = {
  quality: 0, provenanceWeight: 1, propensity: 2, outputTokens: 3, costUsd: 4, latencyMs: 5, isCostOutlier: 6,
  actor: 7, belief: 8, currentShare: 9, cluster: 10, idHash: 11, timeToFirstTokenMs: 12
} as const
export const outcomeColumns = 13

export const measuredFields = ["costUsd", "outputTokens", "latencyMs", "timeToFirstTokenMs"] as const
export type MeasuredField = typeof measuredFields[number]

/** Number of characters hashed from the end of an id. An outcome's id ends with 48 bits of a SHA-256 hash. */
const idEndChars = 12

/** Hashes an entry's id to a signed 32-bit number. */
export const idHashOf = (entryId: string): number => {
  let hash = 0
  for (let i = Math.max(0, entryId.length - idEndChars); i < entryId.length; i++) {
    hash = Math.imul(hash, 31) + entryId.charCodeAt(i) | 0
  }
  return hash
}

/** Fields of an outcome that are stored beside its row of numbers. */
export interface RecalledOutcome extends Pick<OutcomeFields, "cluster" | "inputTokens"> {
  readonly observationId: string
}

/** Outcomes to add. Item i of each list belongs to outcome i, except in `numbers`. */
export interface AddedRows {
  readonly outcomes: ReadonlyArray<RecalledOutcome>
  /** Rows of numbers, each in the order of {@link outcomeColumn}. */
  readonly numbers: ArrayLike<number>
  /** The index in `numbers` at which each outcome's row begins. */
  readonly starts: ArrayLike<number>
  readonly similarities: ArrayLike<number>
  readonly agesDays: ArrayLike<number>
  /** For each outcome, 1 if it is stale, otherwise 0. */
  readonly staleness: ArrayLike<number>
}
