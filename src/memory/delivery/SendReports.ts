/* Sends the writes of reports in order, until one must be sent again or the time limit is reached. */
import { Effect, Random, Result, Schema } from "effect"
import { type CallerKey, CurrentCallerKey } from "../../accounts/CallerKey.ts"
import type { Written } from "../../domain/MemoryWrite.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { Memory, MemoryUnavailable } from "../Memory.ts"
import * as Delivery from "./Delivery.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import type { NextTry } from "./DeliveryStore.ts"

export interface Sent {
  readonly reports: ReadonlyArray<Delivery.SentReport>
  /** The failure that ended the sending; null if no write is left to send. */
  readonly failure: MemoryUnavailable | null
  /** The next try; null if no write is left to send. */
  readonly next: NextTry | null
}

/** Sends reports with a caller's API key, for at most `limitMs` milliseconds. */
export type SendReports = (
  caller: CallerKey,
  reports: ReadonlyArray<Delivery.WaitingReport>,
  before: Delivery.Failures,
  limitMs: number
) => Effect.Effect<Sent>

export const makeSender = Effect.fnUntraced(function*(
  settings: DeliverySettings
): Effect.fn.Return<SendReports, never, Memory> {
  const memory = yield* Memory
  return Effect.fnUntraced(function*(caller, reports, before, limitMs) {
    const untilMs = (yield* monotonicMs) + limitMs
    const late = MemoryUnavailable.timedOut(limitMs)
    const done: Array<Delivery.SentReport> = []
    let failures = before
    for (const { revision, writes } of reports) {
      const written: Array<Written | null> = []
      const sent = (): Delivery.SentReport =>
        ({ revision, written, waiting: writes.length - written.length })
      for (const read of writes) {
        const leftMs = untilMs - (yield* monotonicMs)
        const sending = Effect.flatMap(read, (write) => memory.write(write)).pipe(
          Effect.provideService(CurrentCallerKey, caller),
          deadline(leftMs, () => late)
        )
        const answer = leftMs > 0 ? yield* Effect.result(sending) : Result.fail(late)
        if (Result.isSuccess(answer)) written.push(answer.success)
        else {
          const { failure } = answer
          const more = Delivery.failedAgain(settings, failures, failure)
          if (more !== null && !Schema.isSchemaError(failure)) {
            const delayMs = Delivery.pauseAfter(settings, more, failure, yield* Random.next)
            return { reports: [...done, sent()], failure, next: { ...more, delayMs } }
          }
          yield* Effect.logError("The memory refuses a write for good; it is kept aside", failure).pipe(
            Effect.annotateLogs({ accountId: caller.accountId, revision })
          )
          written.push(null)
        }
        failures = Delivery.noFailures
      }
      done.push(sent())
    }
    return { reports: done, failure: null, next: null }
  })
})
