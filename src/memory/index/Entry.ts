/* An entry of a lane's index: one outcome, and its reliability from votes. */
import type { OutcomeFields } from "../../domain/feedback/OutcomeFields.ts"
import { hashOf } from "../../stats/Hash.ts"
import * as Reliability from "../../stats/Reliability.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { Observation } from "../../domain/MemoryWrite.ts"

export interface LaneEntry extends OutcomeFields {
  readonly observationId: string
  readonly userId: string | null
  readonly isCostOutlier: boolean
  /** True if neither a gate nor a person made the label, so that its errors may differ by model. */
  readonly isWeak: boolean
  readonly occurredAtMs: number
  readonly votesUp: number
  readonly votesDown: number
}

/** Returns an actor's number in [0, 2^32). Two actors with the same number count as one. */
export const actorNumberOf = (userId: string): number => hashOf(userId)

/** Returns true if an outcome without a label has a cost, a latency or output tokens. */
export const measures = (
  { costUsd, latencyMs, outputTokens, provenance }: Pick<
    Observation, "costUsd" | "latencyMs" | "outputTokens" | "provenance"
  >
): boolean => provenance === "none" && (costUsd !== null || latencyMs !== null || outputTokens !== null)

/** The reliability of an outcome before any vote: a mean in (0, 1), and its weight in votes. */
export const reliabilityPrior = { mean: 0.9, weight: 10 }

/**
 * Calculates an entry's reliability, in (0, 1): (9 + up) / (10 + up + down), moved toward 0.5 with age.
 * @param ageDays days since the outcome occurred, >= 0
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

const agreementWidth = 0.5

/** Returns true if two qualities, both in [0, 1], differ by less than {@link agreementWidth}. */
export const agrees = (entryQuality: number, observedQuality: number): boolean =>
  Math.abs(entryQuality - observedQuality) < agreementWidth
