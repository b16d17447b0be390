/*
 * Decides how reports are sent to a remote memory: what was sent, how often a write failed, and how long to
 * pause.
 */
import { type Effect, Schema } from "effect"
import type { MemoryWrite, Written } from "../../domain/MemoryWrite.ts"
import { MemoryUnavailable } from "../Memory.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"

/** A report, and the writes that the remote memory has not accepted yet, in order. */
export interface WaitingReport {
  readonly revision: number
  /**
   * Decoders of the stored writes, in order. A decoder fails if this version of Sextant cannot read its
   * write.
   */
  readonly writes: ReadonlyArray<Effect.Effect<MemoryWrite, Schema.SchemaError>>
}

/** A report after sending. */
export interface SentReport {
  readonly revision: number
  /**
   * The memory's answers to the first writes of the report, in order. An answer of null means that the memory
   * will never accept the write, so the write is stored apart and not sent again.
   */
  readonly written: ReadonlyArray<Written | null>
  /** Number of writes that are still to be sent. */
  readonly waiting: number
}

/** Number of failures of the first waiting write of a lane. */
export interface Failures {
  readonly tries: number
  /** Number of failures whose cause may be the write itself. */
  readonly badAnswers: number
}

export const noFailures: Failures = { tries: 0, badAnswers: 0 }

type SendingFailure = MemoryUnavailable | Schema.SchemaError

/** Returns true if the memory answered badly, so that the write itself may be the cause. */
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
  // A failed request that never left this process says nothing about the write, so the pause does not grow.
  const doublings = reason._tag === "NotSent" ? 0 : Math.min(tries - 1, 16)
  return Math.max(Math.min(pauseMsMax, pauseMs * 2 ** doublings) * (0.5 + share / 2), retryAfterMs)
}
