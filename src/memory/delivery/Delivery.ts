/* The delivery of a report's writes to a remote memory: results, failures and pauses. */
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

/** The results of a report's writes. */
export interface SentReport {
  readonly revision: number
  /**
   * The memory's answers to the first writes, in order; null for a write that it will never take, which is
   * set aside and not sent again.
   */
  readonly written: ReadonlyArray<Written | null>
  /** Further writes that are still to be sent, count. */
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

/** Whether the backend itself gave a bad answer, so that the write may be the cause. */
const mayBlameWrite = (reason: MemoryUnavailable["reason"]): boolean =>
  reason._tag === "Unreachable" && reason.mayBlameRequest

/** The failures of a lane's first write after one more; null if the memory will never take it. */
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
  // A request that was not sent is no failure of this write: it is sent once the breaker allows one.
  const doublings = reason._tag === "NotSent" ? 0 : Math.min(tries - 1, 16)
  return Math.max(Math.min(pauseMsMax, pauseMs * 2 ** doublings) * (0.5 + share / 2), retryAfterMs)
}
