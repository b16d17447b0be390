import type { Cluster } from "../../domain/Task.ts"
import type { Observation } from "../Memory.ts"
import { ageDaysOf, type MemorySettings } from "../MemorySettings.ts"
import * as Reliability from "../../stats/Reliability.ts"

/** What a lane's index keeps of one taught outcome. */
export interface LaneEntry {
  readonly observationId: string
  readonly modelId: string
  readonly cluster: Cluster
  readonly tags: ReadonlyArray<string>
  readonly userId: string | null
  /** Recorded quality, in [0, 1]. */
  readonly quality: number
  /** Weight of the label's provenance, in [0, 1]. */
  readonly provenanceWeight: number
  readonly propensity: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly costUsd: number | null
  readonly latencyMs: number | null
  readonly isCostOutlier: boolean
  readonly occurredAtMs: number
  readonly votesUp: number
  readonly votesDown: number
}

/**
 * Whether an outcome that may not teach is recalled for what it measured. A fault of the infrastructure,
 * which has a label, is not: what a broken call cost says nothing of one that runs.
 */
export const measures = (
  { costUsd, latencyMs, outputTokens, provenance }: Pick<
    Observation, "costUsd" | "latencyMs" | "outputTokens" | "provenance"
  >
): boolean => provenance === "none" && (costUsd !== null || latencyMs !== null || outputTokens !== null)

/** What an outcome is worth before anything voted on it: mean in (0, 1), weight in votes. */
export const reliabilityPrior = { mean: 0.9, weight: 10 }

/**
 * Belief in an entry, in (0, 1): (9 + up) / (10 + up + down), moved toward 0.5 with the entry's age. A vote
 * down is a contradiction: something observed on a like task disagreed.
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

/** {@link reliabilityOf} as things stand at `nowMs`. */
export const reliabilityAt = (
  entry: Pick<LaneEntry, "occurredAtMs" | "votesDown" | "votesUp">,
  nowMs: number,
  settings: Pick<MemorySettings, "reliabilityHalfLifeDays">
): number => reliabilityOf(entry, ageDaysOf(entry.occurredAtMs, nowMs), settings)

/** Distance of qualities under which an entry agreed with what was then observed. */
export const agreementWidth = 0.5

/** Whether an entry's quality speaks for what was then observed; both in [0, 1]. */
export const agrees = (entryQuality: number, observedQuality: number): boolean =>
  Math.abs(entryQuality - observedQuality) < agreementWidth
