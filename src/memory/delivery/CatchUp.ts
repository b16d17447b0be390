/* Delivers waiting writes to remote memories in the background, for the accounts that have called. */
import { Effect, type Scope } from "effect"
import type { CallerKey } from "../../accounts/CallerKey.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { BoundedMap } from "../../resilience/BoundedMap.ts"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { noFailures } from "./Delivery.ts"
import type { DeliverySettings } from "./DeliverySettings.ts"
import { DeliveryStore, type NextTry } from "./DeliveryStore.ts"
import type { SendReports } from "./SendReports.ts"

/** An account that has called. Mutable. */
interface KnownAccount {
  /** The latest key, which is most likely valid. */
  caller: CallerKey
  /** When it is looked at next, ms of `monotonicMs`; Infinity when nothing is to be delivered. */
  dueMs: number
  checkedMs: number
  /** Its reports that waited when it was last looked at. */
  waiting: number
}

const atOnce: NextTry = { ...noFailures, delayMs: 0 }

/** The accounts that are delivered for. */
interface Deliveries {
  /**
   * Remembers the key of an account that calls, and checks the account for waiting reports: another process
   * may have left some, or this process has appended some without knowing, because an answer was lost.
   */
  readonly remember: (caller: CallerKey) => Effect.Effect<void>
  /** Checks the account after `delayMs` milliseconds. */
  readonly expect: (accountId: AccountId, delayMs: number) => Effect.Effect<void>
}

/**
 * Delivers waiting writes in the background of the scope. An account's key exists only in this process and is
 * never stored: neither the database nor a service credential can read or write an account's memory. So after
 * a restart the reports of an account wait for its next request, and those of a revoked key for a request
 * with a valid one.
 */
export const catchUp = Effect.fnUntraced(function*(
  settings: DeliverySettings,
  send: SendReports
): Effect.fn.Return<Deliveries, never, DeliveryStore | Scope.Scope> {
  const { countWaiting, lease, record, recover } = yield* DeliveryStore
  const { batchReportsMax, concurrency, leaseMs, pauseMsMax, recheckMs, tickMs } = settings
  const accounts = new BoundedMap<AccountId, KnownAccount>(settings.accountsMax)
  const sumWaiting = () => [...accounts].reduce((sum, [, { waiting }]) => sum + waiting, 0)
  yield* gauged(meters.outboxWaiting({}), sumWaiting)

  const remember = (caller: CallerKey) =>
    Effect.map(monotonicMs, (nowMs) => {
      const known = accounts.get(caller.accountId) ?? { caller, dueMs: nowMs, checkedMs: nowMs, waiting: 0 }
      known.caller = caller
      known.dueMs = Math.min(known.dueMs, Math.max(nowMs, known.checkedMs + recheckMs))
      accounts.set(caller.accountId, known)
    })
  const expect = (accountId: AccountId, delayMs: number) =>
    Effect.map(monotonicMs, (nowMs) => {
      const known = accounts.get(accountId)
      if (known !== undefined) known.dueMs = Math.min(known.dueMs, nowMs + delayMs)
    })

  /**
   * Delivers the reports of one lease, so that no other account waits for a backlog. Yields after how many
   * milliseconds the account is due again; null when none of its reports waits.
   */
  const deliver = Effect.fnUntraced(function*(known: KnownAccount) {
    const { caller, caller: { accountId } } = known
    const leased = yield* lease(accountId, leaseMs, batchReportsMax)
    // A report that waits in no lane that is behind is being sent, or its process has died.
    const recovered = leased === null ? yield* recover(accountId, leaseMs) : 0
    const sent = leased === null ? null : yield* send(caller, leased.reports, leased, leaseMs / 2)
    if (leased !== null && sent !== null) {
      yield* record(accountId, leased.lane, sent.reports, sent.next ?? atOnce)
    }
    known.waiting = yield* countWaiting(accountId)
    const reason = sent?.failure?.reason._tag ?? null
    // A key that was refused is not tried again, unless the account has called since.
    if (reason === "Unauthorized" && known.caller === caller) accounts.delete(accountId)
    if (reason !== null && reason !== "Unauthorized" && reason !== "NotSent") {
      yield* Effect.logWarning("Memory writes wait for the backend", sent?.failure)
    }
    // A lane stays behind until a lease finds nothing to deliver.
    if (sent !== null || recovered > 0) return sent?.next?.delayMs ?? 0
    return known.waiting > 0 ? pauseMsMax : null
  })

  const visit = Effect.fnUntraced(function*(known: KnownAccount) {
    const nextMs = yield* deliver(known).pipe(Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("The reports that wait cannot be read", cause), pauseMsMax)))
    if (nextMs !== null) yield* expect(known.caller.accountId, nextMs)
  })

  /** One visit to each account that is due; it is then not due until it is expected again. */
  const round = Effect.gen(function*() {
    const nowMs = yield* monotonicMs
    const due = [...accounts].flatMap(([, known]) => known.dueMs <= nowMs ? [known] : [])
    for (const known of due) Object.assign(known, { dueMs: Infinity, checkedMs: nowMs })
    if (due.length === 0) return yield* Effect.sleep(tickMs)
    yield* Effect.forEach(due, visit, { concurrency, discard: true })
    yield* Effect.yieldNow
  })
  yield* Effect.forkScoped(Effect.forever(round))
  return { remember, expect }
})
