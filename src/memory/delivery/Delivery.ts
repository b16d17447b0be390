/* Sending reports to a remote memory: what was sent, how often a write failed, and how long to pause. */
import { type Effect, Schema } from "effect"
import type { MemoryWrite, Written } from "../../domain/MemoryWrite.ts"
import { MemoryUnavailable } from "../Memory.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"

/** A report, and the writes that the remote memory has not accepted yet, in order. */
export interface WaitingReport {
  readonly revision: number
  /** Decoders of the stored writes. A decoder fails if this version of Sextant cannot read its write. */
  readonly writes: ReadonlyArray<Effect.Effect<MemoryWrite, Schema.SchemaError>>
}

/** A report after sending. */
export interface SentReport {
  readonly revision: number
  /**
   * The memory's answers to the first writes, in order. Null means that the memory will never accept the
   * write, so it is moved to the refused writes and not sent again.
   */
  readonly written: ReadonlyArray<Written | null>
  /** Writes that are still to be sent, count. */
  readonly waiting: number
}

/** Failures of the first waiting write of a lane, counts. */
export interface Failures {
  readonly tries: number
  /** Failures for which the write itself may be the cause. */
  readonly badAnswers: number
}

export const noFailures: Failures = { tries: 0, badAnswers: 0 }

type SendingFailure = MemoryUnavailable | Schema.SchemaError

/** Returns whether the memory answered badly, so that the write may be the cause. */
const mayBlameWrite = (reason: MemoryUnavailable["reason"]): boolean =>
  reason._tag === "Unreachable" && reason.mayBlameRequest

/** Counts one more failure of a write. Returns null if the memory will never accept the write. */
export const failedAgain = (
  { badAnswersMax }: DeliverySettings,
  { tries, badAnswers }: Failures,
  failure: SendingFailure
): Failures | null => {
  if (Schema.isSchemaError(failure) || failure.reason._tag === "Rejected") return null
  if (!mayBlameWrite(failure.reason)) return { tries: tries + 1, badAnswers }
  return badAnswers + 1 >= badAnswersMax ? null : { tries: tries + 1, badAnswers: badAnswers + 1 }
}

/**
 * Calculates how long a lane pauses after failures, in milliseconds. The pause doubles with each failure.
 *
 * @param share a random number in [0, 1), so that lanes do not all send at the same moment
 */
export const pauseAfter = (
  { pauseMs, pauseMsMax }: DeliverySettings,
  { tries }: Failures,
  { reason, retryAfterMs }: MemoryUnavailable,
  share: number
): number => {
  // A request that was not sent says nothing about the write, so the pause does not grow.
  const doublings = reason._tag === "NotSent" ? 0 : Math.min(tries - 1, 16)
  return Math.max(Math.min(pauseMsMax, pauseMs * 2 ** doublings) * (0.5 + share / 2), retryAfterMs)
}
