/* Sends waiting writes to a remote memory in the background, for accounts that have made a request. */
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

/** An account that has made a request to this process; the object is mutable. */
interface KnownAccount {
  caller: CallerKey
  /** Time of the next check, ms of `monotonicMs`; Infinity if none is planned. */
  dueMs: number
  checkedMs: number
  waiting: number
}

const atOnce: NextTry = { ...noFailures, delayMs: 0 }

interface Deliveries {
  /** Remembers the caller's API key, and plans a check for reports that another process left unsent. */
  readonly remember: (caller: CallerKey) => Effect.Effect<void>
  readonly expect: (accountId: AccountId, delayMs: number) => Effect.Effect<void>
}

/**
 * Sends waiting writes in the background until the scope closes. API keys are not stored, so after a restart,
 * an account's waiting reports are sent once the account makes a request.
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

  /** Sends the reports of one lease. Returns the ms until the next check, or null if none is needed. */
  const deliver = Effect.fnUntraced(function*(known: KnownAccount) {
    const { caller, caller: { accountId } } = known
    const leased = yield* lease(accountId, leaseMs, batchReportsMax)
    // If a report waits in a lane that is not behind, a process is sending it, or has died.
    const recovered = leased === null ? yield* recover(accountId, leaseMs) : 0
    const sent = leased === null ? null : yield* send(caller, leased.reports, leased, leaseMs / 2)
    if (leased !== null && sent !== null) {
      yield* record(accountId, leased.lane, sent.reports, sent.next ?? atOnce)
    }
    known.waiting = yield* countWaiting(accountId)
    const reason = sent?.failure?.reason._tag ?? null
    // Forgets a refused API key, unless the account has sent another key since.
    if (reason === "Unauthorized" && known.caller === caller) accounts.delete(accountId)
    if (reason !== null && reason !== "Unauthorized" && reason !== "NotSent") {
      yield* Effect.logWarning("Memory writes wait for the backend", sent?.failure)
    }
    // After a successful delivery, the account is checked again at once, because more reports may wait.
    if (sent !== null || recovered > 0) return sent?.next?.delayMs ?? 0
    return known.waiting > 0 ? pauseMsMax : null
  })

  const visit = Effect.fnUntraced(function*(known: KnownAccount) {
    const nextMs = yield* deliver(known).pipe(Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("The reports that wait cannot be read", cause), pauseMsMax)))
    if (nextMs !== null) yield* expect(known.caller.accountId, nextMs)
  })

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
