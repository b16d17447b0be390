/* The facts of a lane from which reflection derives lessons. */
import type { ErrorFingerprint } from "./ErrorFingerprint.ts"

/** A lane's taught outcomes of one model in one cluster. */
export interface OutcomeCell {
  readonly cluster: string
  readonly modelId: string
  readonly outcomes: number
  readonly successes: number
  /** How many of the outcomes a gate labelled. */
  readonly gated: number
  readonly gatedSuccesses: number
  /** Decayed sums, weighted by provenance: `success` is at most `weight`. */
  readonly weight: number
  readonly success: number
  /** Mean over the outcomes with a cost; null without any. */
  readonly costUsd: number | null
  readonly newestMs: number
}

export interface StepCell {
  readonly cluster: string
  readonly modelId: string
  readonly stepId: string
  readonly times: number
  readonly failures: number
  /** The callers' newest hint about the failure or, without one, the newest rationale. */
  readonly said: string | null
  readonly newestMs: number
}

export interface ErrorCell {
  readonly cluster: string
  readonly modelId: string
  readonly userId: string | null
  readonly times: number
  readonly error: ErrorFingerprint
  readonly confidence: number
  readonly newestMs: number
}

/** All facts from which a reflection derives lessons. */
export interface LaneFacts {
  readonly account: ReadonlyArray<OutcomeCell>
  readonly session: ReadonlyArray<OutcomeCell>
  readonly steps: ReadonlyArray<StepCell>
  readonly errors: ReadonlyArray<ErrorCell>
}
