/* A report's writes on their way to a remote memory: what becomes of each, and when it is sent again. */
import { type Effect, Schema } from "effect"
import type { MemoryWrite, Written } from "../../domain/MemoryWrite.ts"
import { MemoryUnavailable } from "../Memory.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"

/** A report, and its writes that the memory has not taken, in order. */
export interface WaitingReport {
  readonly revision: number
  /** Each fails if this version cannot read it. */
  readonly writes: ReadonlyArray<Effect.Effect<MemoryWrite, Schema.SchemaError>>
}

/** What became of a report's writes. */
export interface SentReport {
  readonly revision: number
  /**
   * The memory's answers to the first writes, in order; null for one that it will never take, which is kept
   * aside and not sent again.
   */
  readonly written: ReadonlyArray<Written | null>
  /** How many writes follow these, which are still to be sent. */
  readonly waiting: number
}

/** How often the first write that waits in a lane has failed, counts. */
export interface Failures {
  readonly tries: number
  /** Answers of a working backend that did not accept it. */
  readonly badAnswers: number
}

export const noFailures: Failures = { tries: 0, badAnswers: 0 }

type SendingFailure = MemoryUnavailable | Schema.SchemaError

/** Whether the backend itself answered, and not as agreed, so that the write may be the cause. */
const mayBlameWrite = (reason: MemoryUnavailable["reason"]): boolean =>
  reason._tag === "Unreachable" && reason.mayBlameRequest

/** What a failure of a lane's first write adds to its earlier ones; null if the memory will never take it. */
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
 * How long a lane waits after its first write has failed so often, in milliseconds.
 *
 * @param share drawn evenly from [0, 1), so that lanes do not come back all at once
 */
export const pauseAfter = (
  { pauseMs, pauseMsMax }: DeliverySettings,
  { tries }: Failures,
  { reason, retryAfterMs }: MemoryUnavailable,
  share: number
): number => {
  // Not asked at all is no failure of this write: it goes out as soon as the breaker lets one through.
  const doublings = reason._tag === "NotSent" ? 0 : Math.min(tries - 1, 16)
  return Math.max(Math.min(pauseMsMax, pauseMs * 2 ** doublings) * (0.5 + share / 2), retryAfterMs)
}
