/* One entry of a lane's index: a taught outcome, and its reliability by votes. */
import type { OutcomeFields } from "../../domain/feedback/OutcomeFields.ts"
import { hashOf } from "../../stats/Hash.ts"
import * as Reliability from "../../stats/Reliability.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { Observation } from "../../domain/MemoryWrite.ts"

/** One taught outcome in a lane's index. */
export interface LaneEntry extends OutcomeFields {
  readonly observationId: string
  readonly userId: string | null
  readonly isCostOutlier: boolean
  /** Whether its label is neither a gate's nor a person's: its error may differ by model. */
  readonly isWeak: boolean
  readonly occurredAtMs: number
  readonly votesUp: number
  readonly votesDown: number
}

/** A number by which a recall distinguishes actors; that two of them share it does no harm. In [0, 2^32). */
export const actorNumberOf = (userId: string): number => hashOf(userId)

/**
 * Whether an outcome that may not teach is recalled for its measurements. A labelled fault of the
 * infrastructure is not, because a broken call's cost does not predict a working call's.
 */
export const measures = (
  { costUsd, latencyMs, outputTokens, provenance }: Pick<
    Observation, "costUsd" | "latencyMs" | "outputTokens" | "provenance"
  >
): boolean => provenance === "none" && (costUsd !== null || latencyMs !== null || outputTokens !== null)

/** The reliability of an outcome before any vote: mean in (0, 1), weight in votes. */
export const reliabilityPrior = { mean: 0.9, weight: 10 }

/**
 * The reliability of an entry, in (0, 1): (9 + up) / (10 + up + down), moved toward 0.5 with the entry's age.
 * A vote down is a contradiction: an outcome of a similar task disagreed.
 *
 * @param ageDays since it occurred, >= 0
 */
export const reliabilityOf = (
  { votesDown, votesUp }: Pick<LaneEntry, "votesDown" | "votesUp">,
  ageDays: number,
  { reliabilityHalfLifeDays }: Pick<MemorySettings, "reliabilityHalfLifeDays">
): number =>
  Reliability.aged(
    Reliability.reliability({ up: votesUp, down: votesDown }, reliabilityPrior),
    ageDays,
    reliabilityHalfLifeDays
  )

/** Distance of qualities below which an entry agrees with a later outcome. */
const agreementWidth = 0.5

/** Whether an entry's quality agrees with a later outcome's; both in [0, 1]. */
export const agrees = (entryQuality: number, observedQuality: number): boolean =>
  Math.abs(entryQuality - observedQuality) < agreementWidth
