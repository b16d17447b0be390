/* Delivery of the writes that wait in the outbox, in the background. */
import { Effect, Random, type Scope } from "effect"
import { type CallerKey, CurrentCallerKey } from "../../accounts/CallerKey.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { gauged, MetricsEnabled, meters } from "../../telemetry/Metrics.ts"
import { Memory, type MemoryUnavailable } from "../Memory.ts"
import { type KnownAccount, makeOutboxAccounts } from "./OutboxAccounts.ts"
import { type Delivered, type OutboxWrite, type WaitingWrite, writeOf } from "./OutboxRows.ts"
import type { OutboxSettings } from "./OutboxSettings.ts"
import { OutboxStore } from "./OutboxStore.ts"

interface Delivery {
  /** Keeps the key of an account that calls: it delivers the account's writes. */
  readonly remember: (caller: CallerKey, nowMs: number) => void
  /** Looks for a write of the account until it shows up. */
  readonly watch: (accountId: AccountId, nowMs: number) => void
}

/** What became of writes that were sent, and the failure that ended them; null without one. */
interface Sent {
  readonly result: Delivered
  readonly failure: MemoryUnavailable | null
}

/** Sends writes of one lane one after another, until one fails or the lease is half over. */
const makeSender = Effect.fnUntraced(function*(settings: OutboxSettings) {
  const memory = yield* Memory

  const pauseMs = (attempts: number) =>
    Effect.map(Random.next, (share) =>
      Math.min(settings.pauseMsMax, settings.pauseMs * 2 ** Math.min(attempts, 16)) * (0.5 + share / 2))

  const logRefusal = (accountId: AccountId, { outboxId }: WaitingWrite, cause: unknown) =>
    Effect.logError("The memory backend refuses a write for good; it is kept aside", cause).pipe(
      Effect.annotateLogs({ accountId, outboxId })
    )

  /** Whether the backend itself answered, and not as agreed, so that this write may be the cause. */
  const mayBlameWrite = ({ reason }: MemoryUnavailable): boolean =>
    reason._tag === "Unreachable" && reason.mayBlameRequest

  /** Whether the backend will never take the write, as far as can be known. */
  const isRefused = ({ badAnswers }: WaitingWrite, failure: MemoryUnavailable): boolean =>
    failure.reason._tag === "Rejected" || (mayBlameWrite(failure) && badAnswers + 1 >= settings.badAnswersMax)

  /** Sends a write with the key; yields why that failed, null when it did not. */
  const sent = (write: OutboxWrite, caller: CallerKey): Effect.Effect<MemoryUnavailable | null> =>
    memory.write(writeOf(write, caller.accountId)).pipe(
      Effect.provideService(CurrentCallerKey, caller),
      Effect.match({ onSuccess: () => null, onFailure: (unavailable) => unavailable })
    )

  return Effect.fnUntraced(function*(
    caller: CallerKey,
    rows: ReadonlyArray<WaitingWrite>
  ): Effect.fn.Return<Sent> {
    const untilMs = (yield* monotonicMs) + settings.batchMs
    const delivered: Array<string> = []
    const refused: Array<string> = []
    const done = (failed: Delivered["failed"], failure: MemoryUnavailable | null) =>
      ({ result: { delivered, refused, failed }, failure })
    for (const row of rows) {
      if ((yield* monotonicMs) >= untilMs) {
        return done({ outboxId: row.outboxId, delayMs: 0, isBadAnswer: false }, null)
      }
      const failure = row.write === null ? null : yield* sent(row.write, caller)
      if (row.write !== null && failure === null) delivered.push(row.outboxId)
      else if (failure === null || isRefused(row, failure)) {
        yield* logRefusal(caller.accountId, row, failure)
        refused.push(row.outboxId)
      } else {
        // Not asked at all is no failure of this write: it goes out as soon as the breaker lets one through.
        const attempts = failure.reason._tag === "NotSent" ? 0 : row.attempts
        const delayMs = Math.max(yield* pauseMs(attempts), failure.retryAfterMs)
        return done({ outboxId: row.outboxId, delayMs, isBadAnswer: mayBlameWrite(failure) }, failure)
      }
    }
    return done(null, null)
  })
})

/**
 * Delivers what waits, in the background of the scope. The key of an account is held in this process only,
 * never at rest: neither the database nor a service credential can read or write an account's memory. So the
 * writes of an account that has not called since a restart wait for its next request of any kind, and those
 * of a revoked key for a request with a good one.
 */
export const makeDelivery = Effect.fnUntraced(function*(
  settings: OutboxSettings
): Effect.fn.Return<Delivery, never, Memory | OutboxStore | Scope.Scope> {
  const { claim, countWaiting, settle } = yield* OutboxStore
  const accounts = makeOutboxAccounts(settings)

  const sendInOrder = yield* makeSender(settings)

  const count = Effect.fnUntraced(function*({ caller: { accountId }, waiting }: KnownAccount) {
    if (!(yield* MetricsEnabled)) return 0
    return yield* countWaiting(accountId).pipe(Effect.catch(() => Effect.succeed(waiting)))
  })

  /**
   * Delivers the writes of one claim, so that no other account waits for a backlog; yields when the account
   * is next due.
   */
  const deliver = Effect.fnUntraced(function*(known: KnownAccount) {
    const { caller } = known
    const { accountId } = caller
    const rows = yield* claim(accountId, { leaseMs: settings.leaseMs, rowsMax: settings.batchRowsMax })
    if (rows.length === 0) {
      known.waiting = yield* countWaiting(accountId)
      return known.waiting > 0 ? settings.pauseMs : null
    }
    const { failure, result } = yield* sendInOrder(caller, rows)
    yield* settle(accountId, result)
    known.waiting = yield* count(known)
    if (failure === null) return 0
    const { _tag } = failure.reason
    if (_tag === "Unauthorized") accounts.forget(caller)
    else if (_tag !== "Rejected" && _tag !== "NotSent") {
      yield* Effect.logWarning("Memory writes wait for the backend", failure)
    }
    return result.failed?.delayMs ?? settings.pauseMs
  })

  yield* gauged(meters.outboxWaiting({}), accounts.waiting)

  const visit = Effect.fnUntraced(function*(known: KnownAccount) {
    const nextMs = yield* deliver(known).pipe(
      Effect.catchCause((cause) =>
        Effect.as(Effect.logWarning("The outbox cannot be read", cause), settings.pauseMsMax))
    )
    accounts.visited(known, nextMs, yield* monotonicMs)
  })

  const dueNow = Effect.map(monotonicMs, accounts.due)

  /** One visit to each account that is due; an account with more to deliver is due again at once. */
  const round = Effect.gen(function*() {
    yield* Effect.forEach(yield* dueNow, visit, { concurrency: settings.concurrency, discard: true })
    yield* (yield* dueNow).length === 0 ? Effect.sleep(settings.tickMs) : Effect.yieldNow
  })
  yield* Effect.forkScoped(Effect.forever(round))

  return accounts
})
