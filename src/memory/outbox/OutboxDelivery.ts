import { Effect, Random, Redacted, type Scope } from "effect"
import { gauged, MetricsEnabled, meters } from "../../telemetry/Metrics.ts"
import { type CallerKey, CurrentCallerKey } from "../../accounts/CallerKey.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { Memory, type MemoryUnavailable } from "../Memory.ts"
import type { Delivered, Waiting, Write } from "./OutboxRows.ts"
import type { OutboxSettings } from "./OutboxSettings.ts"
import { OutboxStore } from "./OutboxStore.ts"

/** An account that has called, and when its outbox is looked at next. */
interface Known {
  /** The latest; its key is the one most likely to be good. */
  caller: CallerKey
  dueMs: number
  checkedMs: number
  /** Until then something enqueued may not be visible yet. */
  watchUntilMs: number
  /** Its writes that waited when it was last visited, counted where metrics are collected. */
  waiting: number
}

export interface Delivery {
  /** Keeps the key of an account that calls: it delivers the account's writes. */
  readonly remember: (caller: CallerKey, nowMs: number) => void
  /** Looks for a write of the account until it shows up. */
  readonly watch: (accountId: AccountId, nowMs: number) => void
}

/** Told again, each of these changes nothing: that is what makes a redelivery safe. */
const sent = (memory: Memory["Service"], accountId: AccountId, { body, kind }: Write) => {
  switch (kind) {
    case "teach": {
      const { teaches, ...observation } = body
      return Effect.asVoid(memory.teach({ ...observation, accountId }, teaches))
    }
    case "reinforce": {
      const { reinforcementId, ...reinforcement } = body
      const id = reinforcementId === null ? {} : { reinforcementId }
      return Effect.asVoid(memory.reinforce({ ...reinforcement, ...id, accountId }))
    }
    case "recordSteps":
      return Effect.asVoid(memory.recordSteps({ ...body, accountId }))
    case "promote":
      return memory.promote({ ...body, accountId })
  }
}

/**
 * Delivers what waits, in the background of the scope. The key of an account is held in this process only,
 * never at rest: neither the database nor a service credential can read or write an account's memory. So the
 * writes of an account that has not called since a restart wait for its next request of any kind, and those
 * of a revoked key for a request with a good one.
 */
export const makeDelivery = Effect.fnUntraced(function*(
  settings: OutboxSettings
): Effect.fn.Return<Delivery, never, Memory | OutboxStore | Scope.Scope> {
  const memory = yield* Memory
  const { claim, countWaiting, isAnyWaiting, settle } = yield* OutboxStore
  const accounts = new Map<AccountId, Known>()

  const pauseMs = (attempts: number) =>
    Effect.map(Random.next, (share) =>
      Math.min(settings.pauseMsMax, settings.pauseMs * 2 ** Math.min(attempts, 16)) * (0.5 + share / 2))

  const logRefusal = (accountId: AccountId, { outboxId }: Waiting, cause: unknown) =>
    Effect.logError("The memory backend refuses a write for good; it is kept aside", cause).pipe(
      Effect.annotateLogs({ accountId, outboxId })
    )

  /** Whether the backend itself answered, and not as agreed, so that this write may be the cause. */
  const mayBlameWrite = ({ reason }: MemoryUnavailable): boolean =>
    reason._tag === "Unreachable" && reason.mayBlameRequest

  /** Whether the backend will never take the write, as far as can be known. */
  const isRefused = ({ badAnswers }: Waiting, failure: MemoryUnavailable): boolean =>
    failure.reason._tag === "Rejected" || (mayBlameWrite(failure) && badAnswers + 1 >= settings.badAnswersMax)

  /** Sends writes of one lane one after another, until one fails or the lease is half over. */
  const sendInOrder = Effect.fnUntraced(function*(caller: CallerKey, rows: ReadonlyArray<Waiting>) {
    const untilMs = (yield* monotonicMs) + settings.batchMs
    const delivered: Array<string> = []
    const refused: Array<string> = []
    const done = (failed: Delivered["failed"], failure: MemoryUnavailable | null) =>
      ({ result: { delivered, refused, failed }, failure })
    for (const row of rows) {
      if ((yield* monotonicMs) >= untilMs) {
        return done({ outboxId: row.outboxId, delayMs: 0, isBadAnswer: false }, null)
      }
      const failure = row.write === null ? null : yield* sent(memory, caller.accountId, row.write).pipe(
        Effect.provideService(CurrentCallerKey, caller),
        Effect.match({ onSuccess: () => null, onFailure: (unavailable) => unavailable })
      )
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

  /** A key that was refused is not tried again, unless the account has since called with another. */
  const forget = ({ accountId, key }: CallerKey): void => {
    const latest = accounts.get(accountId)?.caller.key
    if (latest !== undefined && Redacted.value(latest) === Redacted.value(key)) accounts.delete(accountId)
  }

  /** Delivers what one claim takes, so that a backlog keeps nobody waiting; yields when to look again. */
  const deliver = Effect.fnUntraced(function*({ caller }: Known) {
    const { accountId } = caller
    const rows = yield* claim(accountId, { leaseMs: settings.leaseMs, rowsMax: settings.batchRowsMax })
    if (rows.length === 0) return (yield* isAnyWaiting(accountId)) ? settings.pauseMs : null
    const { failure, result } = yield* sendInOrder(caller, rows)
    yield* settle(accountId, result)
    if (failure === null) return 0
    const { _tag } = failure.reason
    if (_tag === "Unauthorized") forget(caller)
    else if (_tag !== "Rejected" && _tag !== "NotSent") {
      yield* Effect.logWarning("Memory writes wait for the backend", failure)
    }
    return result.failed?.delayMs ?? settings.pauseMs
  })

  yield* gauged(
    meters.outboxWaiting({}),
    () => [...accounts.values()].reduce((sum, { waiting }) => sum + waiting, 0)
  )

  const count = Effect.fnUntraced(function*({ caller: { accountId }, waiting }: Known) {
    if (!(yield* MetricsEnabled)) return 0
    return yield* countWaiting(accountId).pipe(Effect.catch(() => Effect.succeed(waiting)))
  })

  const visit = Effect.fnUntraced(function*(known: Known) {
    const nextMs = yield* deliver(known).pipe(
      Effect.catchCause((cause) =>
        Effect.as(Effect.logWarning("The outbox cannot be read", cause), settings.pauseMsMax))
    )
    known.waiting = nextMs === null ? 0 : yield* count(known)
    const nowMs = yield* monotonicMs
    known.checkedMs = nowMs
    const isWatched = nowMs < known.watchUntilMs
    known.dueMs = nextMs !== null ? nowMs + nextMs : isWatched ? nowMs + settings.pauseMs : Infinity
  })

  const dueNow = Effect.map(monotonicMs, (nowMs) =>
    [...accounts.values()].filter(({ dueMs }) => dueMs <= nowMs))

  /** One visit to each account that is due; whoever has more to deliver is in the next round, at once. */
  const round = Effect.gen(function*() {
    yield* Effect.forEach(yield* dueNow, visit, { concurrency: settings.concurrency, discard: true })
    yield* (yield* dueNow).length === 0 ? Effect.sleep(settings.tickMs) : Effect.yieldNow
  })
  yield* Effect.forkScoped(Effect.forever(round))

  return {
    remember: (caller, nowMs) => {
      const { accountId } = caller
      const known = accounts.get(accountId) ?? {
        caller, dueMs: nowMs, checkedMs: nowMs, watchUntilMs: 0, waiting: 0
      }
      known.caller = caller
      if (nowMs - known.checkedMs >= settings.recheckMs) known.dueMs = Math.min(known.dueMs, nowMs)
      // Again at the end: the map is in order of the last call, and the first goes when it is full.
      accounts.delete(accountId)
      accounts.set(accountId, known)
      const [oldest] = accounts.keys()
      if (accounts.size > settings.accountsMax && oldest !== undefined) accounts.delete(oldest)
    },
    watch: (accountId, nowMs) => {
      const known = accounts.get(accountId)
      if (known === undefined) return
      known.dueMs = Math.min(known.dueMs, nowMs + settings.pauseMs)
      known.watchUntilMs = nowMs + settings.watchMs
    }
  }
})
