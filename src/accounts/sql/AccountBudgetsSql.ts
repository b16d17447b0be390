/** Driver of {@link AccountBudgets}: the service's own database, which sums spending by the hour. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Budget } from "../../domain/account/Budget.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { NotSent } from "../../resilience/FailureReason.ts"
import { callAs } from "../../sql/AccountScope.ts"
import { type LedgerSpend, noSpend, type SpendSums } from "../../stats/BudgetState.ts"
import { type PacingRule, periodAt, weekHours } from "../../stats/BudgetPacing.ts"
import { AccountBudgets, makeAccountBudgets, type SpendQuery } from "../AccountBudgets.ts"

const hourMs = 3_600_000

type SumsRow = {
  readonly [
    Name in "billed_estimate_usd" | "billed_usd" | "left_out_usd" | "margin_usd" | "requests" | "waiting_usd"
  ]: number | null
}

interface SpendRow {
  /** Start of the budget's period by the database's clock, ms since 1970. */
  readonly periodStart: number
  readonly shift: number | null
  readonly spend: SumsRow
  readonly lastDay: SumsRow
  /** First hour with a request in the last 32 days or so, ms since 1970; null if there is none. */
  readonly first: number | null
  /** Start of each hour with requests in the last week, ms since 1970, and the number of its requests. */
  readonly hourly: ReadonlyArray<readonly [hourMs: number, requests: number]>
}

const sumsOf = (row: SumsRow): SpendSums => ({
  requests: row.requests ?? noSpend.requests,
  // Rounding of corrections can leave sums slightly below 0.
  billedUsd: Math.max(0, row.billed_usd ?? 0),
  billedEstimateUsd: Math.max(0, row.billed_estimate_usd ?? 0),
  waitingUsd: Math.max(0, row.waiting_usd ?? 0),
  marginUsd: Math.max(0, row.margin_usd ?? 0),
  leftOutUsd: Math.max(0, row.left_out_usd ?? 0)
})

const spendOf = (row: SpendRow, period: Budget["period"], nowMs: number): LedgerSpend => {
  const thisHour = Math.floor(nowMs / hourMs)
  const hourly = new Array<number>(weekHours + 1).fill(0)
  for (const [startMs, requests] of row.hourly) {
    const ago = thisHour - Math.round(startMs / hourMs)
    if (ago >= 0 && ago <= weekHours) hourly[ago]! += requests
  }
  const ageHours = row.first === null ? 0 : thisHour - Math.round(row.first / hourMs) - 1
  return {
    period: periodAt(period, row.periodStart),
    spend: sumsOf(row.spend),
    lastDay: sumsOf(row.lastDay),
    hourly,
    knownHours: Math.min(weekHours, Math.max(0, ageHours)),
    shift: row.shift
  }
}

const make = (rule: PacingRule) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const guarded = mapLedgerErrors(sql)
    const look = Effect.fnUntraced(function*({ accountId, period, shift }: SpendQuery) {
      const [row] = yield* guarded(accountId, sql<{ readonly spend: SpendRow | null }>`
        select budget_spend(${accountId}, ${period}, ${shift}::float8) as spend`, callAs)
      const nowMs = yield* Clock.currentTimeMillis
      return row === undefined || row.spend === null
        ? yield* new LedgerUnavailable({ reason: new NotSent({ cause: "another process reads the ledger" }) })
        : spendOf(row.spend, period, nowMs)
    })
    return yield* makeAccountBudgets(rule, look)
  })

export const layer = (rule: PacingRule): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(AccountBudgets, make(rule))
