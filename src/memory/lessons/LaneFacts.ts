/* The facts of a lane from which a reflection derives lessons. */
import type { ErrorFingerprint } from "./ErrorFingerprint.ts"

/** Sums of a lane's taught outcomes of one model in one cluster. */
export interface OutcomeCell {
  readonly cluster: string
  readonly modelId: string
  readonly outcomes: number
  readonly successes: number
  /** Outcomes labelled by a gate, count. */
  readonly gated: number
  readonly gatedSuccesses: number
  /** Sum of weights by age, provenance and reliability. */
  readonly weight: number
  /** Sum of weight times quality, at most `weight`. */
  readonly success: number
  /** Mean cost of the outcomes that have a cost; null if none has. */
  readonly costUsd: number | null
  readonly newestMs: number
}

export interface StepCell {
  readonly cluster: string
  readonly modelId: string
  readonly stepId: string
  readonly times: number
  readonly failures: number
  /** The newest hint of a caller about a failure; without a hint, the newest rationale; null without both. */
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

export interface LaneFacts {
  readonly account: ReadonlyArray<OutcomeCell>
  readonly session: ReadonlyArray<OutcomeCell>
  readonly steps: ReadonlyArray<StepCell>
  readonly errors: ReadonlyArray<ErrorCell>
}
