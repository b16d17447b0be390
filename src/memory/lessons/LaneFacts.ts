/* The facts of a lane from which a reflection derives lessons. */
import type { ErrorFingerprint } from "./ErrorFingerprint.ts"

/** Sums of the taught outcomes of one model in one cluster of a lane. */
export interface OutcomeCell {
  readonly cluster: string
  readonly modelId: string
  readonly outcomes: number
  readonly successes: number
  readonly gated: number
  readonly gatedSuccesses: number
  /** Sum of the outcomes' weights, which depend on age, provenance and reliability. */
  readonly weight: number
  /** Sum of weight times quality. */
  readonly success: number
  /** Mean cost of the outcomes that have a cost; null if no outcome has one. */
  readonly costUsd: number | null
  readonly newestMs: number
}

export interface StepCell {
  readonly cluster: string
  readonly modelId: string
  readonly stepId: string
  readonly times: number
  readonly failures: number
  /**
   * A caller's newest hint about a failure, or else the newest rationale of a failure; null if there is
   * neither.
   */
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
