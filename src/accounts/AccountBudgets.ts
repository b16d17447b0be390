/** Port: how the budgets of accounts stand, and what this process has decided since that was read. */
import { Clock, Context, Effect, Fiber } from "effect"
import type { Budget } from "../domain/Budget.ts"
import type { AccountId } from "../domain/Scope.ts"
import { LedgerUnavailable } from "../ledger/Ledger.ts"
import { NotSent } from "../resilience/FailureReason.ts"
import { LruMap } from "../resilience/LruMap.ts"
import { makeFreshCache } from "../resilience/StaleCache.ts"
import { type BudgetStanding, type LedgerSpend, makePacer } from "../stats/Pacer.ts"
import type { PacingRule } from "../stats/Pacing.ts"
import { gauged, meters } from "../telemetry/Metrics.ts"

/** Estimates of a decision, USD. */
export interface DecidedCost {
  /** Of the model that is expected to run: the pick, and in shadow the declared baseline. */
  readonly estimateUsd: number
  /** Of what would be picked with the threshold at its floor. */
  readonly leastUsd: number
}

interface AccountBudgetsPort {
  /**
   * How a budget stands now: what the ledger said a few seconds ago, and what this process decided since. The
   * last reading counts while the ledger is slow or unavailable; without any it fails.
   */
  readonly standing: (
    accountId: AccountId,
    budget: Budget
  ) => Effect.Effect<BudgetStanding, LedgerUnavailable>
  /** Takes note of a decision that this process has made. */
  readonly note: (accountId: AccountId, budget: Budget, cost: DecidedCost) => Effect.Effect<void>
}

export const AccountBudgets = Context.Reference<AccountBudgetsPort>("sextant/accounts/AccountBudgets", {
  defaultValue: () => ({
    standing: () => Effect.fail(new LedgerUnavailable({ reason: new NotSent() })),
    note: () => Effect.void
  })
})

/**
 * Longest time until what other processes decided, and reports, are seen, and pause after a failed read, ms.
 */
const freshMs = 2_000
const pauseMs = 1_000
/** How long a recommendation waits for a newer reading than the last one, ms. Chosen. */
const waitMs = 10
/** Budgets remembered, count; each takes a few kilobytes. */
const capacity = 2_000

/** A reading of an account's spending. */
export interface SpendQuery {
  readonly accountId: AccountId
  readonly period: Budget["period"]
  /** The multiplier of this process, slider units; null before its first reading. */
  readonly shift: number | null
}

/** A budget as a recommendation saw it last, for the gauges. */
interface Seen {
  readonly usedShare: number
  readonly shift: number
  readonly atMs: number
}

/** How long a budget without requests stays in the gauges, ms. */
const seenMs = 60_000

/** The gauges of this process: the highest of each over its accounts. */
const gauges = Effect.fnUntraced(function*(seen: Map<string, Seen>) {
  const clock = yield* Clock.Clock
  const highest = (of: (each: Seen) => number) => (): number => {
    const sinceMs = clock.currentTimeMillisUnsafe() - seenMs
    let most = 0
    for (const [key, each] of seen) {
      if (each.atMs < sinceMs) seen.delete(key)
      else most = Math.max(most, of(each))
    }
    return most
  }
  yield* gauged(meters.budgetUsed({}), highest(({ usedShare }) => usedShare))
  yield* gauged(meters.budgetShift({}), highest(({ shift }) => shift))
})

/** The port over a ledger that `look` reads. */
export const makeAccountBudgets = Effect.fnUntraced(function*(
  rule: PacingRule,
  look: (query: SpendQuery) => Effect.Effect<LedgerSpend, LedgerUnavailable>
) {
  const pacers = new LruMap<string, ReturnType<typeof makePacer>>(capacity)
  const seen = new Map<string, Seen>()
  yield* gauges(seen)

  const keyOf = (accountId: AccountId, { period }: Budget): string => `${period} ${accountId}`
  const pacerOf = (key: string) => {
    const known = pacers.get(key)
    if (known !== undefined) return known
    const made = makePacer(rule)
    pacers.set(key, made)
    return made
  }

  const read = Effect.fnUntraced(function*(key: string) {
    const [period, accountId] = key.split(" ") as [Budget["period"], AccountId]
    const pacer = pacerOf(key)
    const found = yield* look({ accountId, period, shift: pacer.begin() })
    pacer.end(found, yield* Clock.currentTimeMillis)
    return pacer
  })
  // Goes on when its reader gives up: the first reading of a large ledger takes longer than a request waits.
  const known = yield* makeFreshCache(
    (key: string) => Effect.flatMap(Effect.forkDetach(read(key), { startImmediately: true }), Fiber.join),
    { capacity, freshMs, pauseMs, waitMs }
  )

  return AccountBudgets.of({
    standing: Effect.fnUntraced(function*(accountId: AccountId, budget: Budget) {
      const key = keyOf(accountId, budget)
      const pacer = yield* known.read(key)
      const nowMs = yield* Clock.currentTimeMillis
      const standing = pacer.standing(budget, nowMs)
      const { shift, spentUsd } = standing
      seen.set(key, { shift, usedShare: budget.usd > 0 ? spentUsd / budget.usd : 0, atMs: nowMs })
      return standing
    }),
    note: (accountId: AccountId, budget: Budget, cost: DecidedCost) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) =>
        pacerOf(keyOf(accountId, budget)).note(budget, nowMs, cost))
  })
})
