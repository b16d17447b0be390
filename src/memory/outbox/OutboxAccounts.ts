/* The accounts that this process can deliver for, and when the outbox of each is looked at next. */
import { Redacted } from "effect"
import type { CallerKey } from "../../accounts/CallerKey.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { OutboxSettings } from "./OutboxSettings.ts"

/** An account that has called, and when its outbox is looked at next. */
export interface KnownAccount {
  /** The latest key: it is the one most likely to be good. */
  caller: CallerKey
  /** In milliseconds of `monotonicMs`, as all of these; Infinity when nothing is to be delivered. */
  dueMs: number
  checkedMs: number
  /** Until then something enqueued may not be visible yet. */
  watchUntilMs: number
  /** Its writes that waited when it was last visited, counted where metrics are collected. */
  waiting: number
}

/**
 * The accounts in the order of their last call; the first goes when there are too many. An account's key is
 * held in this process only, never at rest.
 */
export const makeOutboxAccounts = (settings: OutboxSettings) => {
  const accounts = new Map<AccountId, KnownAccount>()
  return {
    /** Keeps the key of an account that calls: it delivers the account's writes. */
    remember: (caller: CallerKey, nowMs: number): void => {
      const { accountId } = caller
      const known = accounts.get(accountId) ?? {
        caller, dueMs: nowMs, checkedMs: nowMs, watchUntilMs: 0, waiting: 0
      }
      known.caller = caller
      if (nowMs - known.checkedMs >= settings.recheckMs) known.dueMs = Math.min(known.dueMs, nowMs)
      // Again at the end of the map, which is in order of the last call.
      accounts.delete(accountId)
      accounts.set(accountId, known)
      const [oldest] = accounts.keys()
      if (accounts.size > settings.accountsMax && oldest !== undefined) accounts.delete(oldest)
    },
    /** Has the account's outbox looked at until a write that was just enqueued shows up. */
    watch: (accountId: AccountId, nowMs: number): void => {
      const known = accounts.get(accountId)
      if (known === undefined) return
      known.dueMs = Math.min(known.dueMs, nowMs + settings.pauseMs)
      known.watchUntilMs = nowMs + settings.watchMs
    },
    /** A key that was refused is not tried again, unless the account has since called with another. */
    forget: ({ accountId, key }: CallerKey): void => {
      const latest = accounts.get(accountId)?.caller.key
      if (latest !== undefined && Redacted.value(latest) === Redacted.value(key)) accounts.delete(accountId)
    },
    due: (nowMs: number): ReadonlyArray<KnownAccount> =>
      [...accounts.values()].filter(({ dueMs }) => dueMs <= nowMs),
    /** Notes that an account was visited, and in how many milliseconds it has more; null when it has none. */
    visited: (known: KnownAccount, nextMs: number | null, nowMs: number): void => {
      known.checkedMs = nowMs
      const isWatched = nowMs < known.watchUntilMs
      known.dueMs = nextMs !== null ? nowMs + nextMs : isWatched ? nowMs + settings.pauseMs : Infinity
    },
    /** Writes that wait for the backend, as far as they were counted. */
    waiting: (): number => [...accounts.values()].reduce((sum, { waiting }) => sum + waiting, 0)
  }
}
