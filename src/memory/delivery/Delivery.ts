/* Decides how reports are sent to a remote memory: when a write is given up, and how long to pause. */
import { type Effect, Schema } from "effect"
import type { MemoryWrite, Written } from "../../domain/MemoryWrite.ts"
import { MemoryUnavailable } from "../Memory.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"

export interface WaitingReport {
  readonly revision: number
  /** Each effect decodes one write, and fails if this version of Sextant cannot read the write. */
  readonly writes: ReadonlyArray<Effect.Effect<MemoryWrite, Schema.SchemaError>>
}

export interface SentReport {
  readonly revision: number
  /** The memory's answers to the writes sent so far, in order; null for a write that was given up. */
  readonly written: ReadonlyArray<Written | null>
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

/** Counts a failure of a write; null if the write is given up, at once or after too many bad answers. */
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
 * Calculates how long a lane pauses after failures, in milliseconds.
 * @param share a random number in [0, 1), so that lanes do not all send at the same moment
 */
export const pauseAfter = (
  { pauseMs, pauseMsMax }: DeliverySettings,
  { tries }: Failures,
  { reason, retryAfterMs }: MemoryUnavailable,
  share: number
): number => {
  // A lane's pause does not grow after a request that never left this process.
  const doublings = reason._tag === "NotSent" ? 0 : Math.min(tries - 1, 16)
  return Math.max(Math.min(pauseMsMax, pauseMs * 2 ** doublings) * (0.5 + share / 2), retryAfterMs)
}
