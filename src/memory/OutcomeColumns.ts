/* Recalled outcomes as rows of numbers, as an index adds them to the neighbours of a recall. */
import type { OutcomeFields } from "../domain/feedback/OutcomeFields.ts"

/**
 * The place of each number of an outcome in its row; NaN stands for null, and for an absent actor.
 * `currentShare` is the share of its weight after a sustained change, `cluster` the cluster's number,
 * `idHash` a hash of its id.
 */
export const outcomeColumn = {
  quality: 0, provenanceWeight: 1, propensity: 2, outputTokens: 3, costUsd: 4, latencyMs: 5, isCostOutlier: 6,
  actor: 7, belief: 8, currentShare: 9, cluster: 10, idHash: 11, timeToFirstTokenMs: 12
} as const
/** How many numbers an outcome has. */
export const outcomeColumns = 13

/** Quantities that an outcome may have measured. */
export const measuredFields = ["costUsd", "outputTokens", "latencyMs", "timeToFirstTokenMs"] as const
export type MeasuredField = typeof measuredFields[number]

/** Characters of an id's end, by which ids are distinguished: a UUID's last group is 48 random bits. */
const idEndChars = 12

/** A number of 32 bits, signed, that stands for an entry's id; a collision costs one wrong hint. */
export const idHashOf = (entryId: string): number => {
  let hash = 0
  for (let i = Math.max(0, entryId.length - idEndChars); i < entryId.length; i++) {
    hash = Math.imul(hash, 31) + entryId.charCodeAt(i) | 0
  }
  return hash
}

/** The fields of an outcome that are read only if it is shown or sent. */
export interface RecalledOutcome extends Pick<OutcomeFields, "cluster" | "inputTokens"> {
  readonly observationId: string
}

/** Outcomes with their similarities and ages as neighbours. */
export interface AddedRows {
  readonly outcomes: ReadonlyArray<RecalledOutcome>
  /** The numbers of outcome i begin at index `starts[i]`, in the order of {@link outcomeColumn}. */
  readonly numbers: ArrayLike<number>
  readonly starts: ArrayLike<number>
  readonly similarities: ArrayLike<number>
  readonly agesDays: ArrayLike<number>
  /** For each outcome 1 if it is stale, otherwise 0. */
  readonly staleness: ArrayLike<number>
}
