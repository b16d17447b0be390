import type { Cluster } from "../domain/Task.ts"
import * as Reliability from "../stats/Reliability.ts"

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
  readonly occurredAtMs: number
  readonly votesUp: number
  readonly votesDown: number
}

const prior = { mean: 0.9, weight: 10 }

/** Belief in an entry, in (0, 1): starts at 0.9 and moves with the votes, (9 + up) / (10 + up + down). */
export const reliabilityOf = (votesUp: number, votesDown: number): number =>
  Reliability.reliability({ up: votesUp, down: votesDown }, prior)

/** Distance of qualities under which an entry agreed with what was then observed. */
export const agreementWidth = 0.5

/** Whether an entry's quality speaks for what was then observed; both in [0, 1]. */
export const agrees = (entryQuality: number, observedQuality: number): boolean =>
  Math.abs(entryQuality - observedQuality) < agreementWidth
