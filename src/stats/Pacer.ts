/** The pacing of one account in one process: what the ledger says, and what the process has decided since. */
import {
  billsPerEstimate, forecastOf, leastAfter, type PacingRule, type Period, perRequest, periodAt,
  requestsBetween, shiftAfter, type Traffic
} from "./Pacing.ts"

/** A budget: so many USD in each day or month, UTC. */
export interface BudgetTerms {
  readonly usd: number
  readonly period: "day" | "month"
}

/** Requests, bills and estimates of decisions. */
export interface SpendSums {
  readonly requests: number
  /** Bills of decisions with a report; what no report priced, by its estimate. */
  readonly billedUsd: number
  /** What had been estimated of those. */
  readonly billedEstimateUsd: number
  /** Estimates of decisions without a report. */
  readonly waitingUsd: number
  /** Part of bills that is left out of `billedUsd`, because it is far above every estimate. */
  readonly leftOutUsd: number
}

export const noSpend: SpendSums = {
  requests: 0, billedUsd: 0, billedEstimateUsd: 0, waitingUsd: 0, leftOutUsd: 0
}

/** What the ledger says of an account's spending. */
export interface LedgerSpend {
  /** The period that `spend` is of. */
  readonly period: Period
  readonly spend: SpendSums
  /** Of the last 24 hours, whatever the period. */
  readonly lastDay: SpendSums
  /** Requests by whole hours before the running one, the running one first. */
  readonly hourly: ReadonlyArray<number>
  readonly knownHours: number
  /** mu of the account's processes on average, slider units; null before any. */
  readonly shift: number | null
}

/** How a budget stands at a moment. */
export interface BudgetStanding {
  readonly period: Period
  readonly requests: number
  /** Bills, and estimates of decisions without a report times the ratio of bills to estimates. */
  readonly spentUsd: number
  /** The part of `spentUsd` that is estimated. */
  readonly estimatedUsd: number
  readonly leftOutUsd: number
  readonly leftUsd: number
  readonly billsPerEstimate: number
  readonly requestsLeft: number
  /** Budget per request still to come: rho. */
  readonly perRequestUsd: number
  /** mu, slider units. */
  readonly shift: number
  /** What is spent by the period's end at the cost per request of the last day, USD. */
  readonly expectedUsd: number
}

/** Requests that this process has seen in a period, and their estimates. */
interface Own {
  readonly startMs: number
  readonly requests: number
  readonly usd: number
}

const nothing: Own = { startMs: NaN, requests: 0, usd: 0 }

/** The sum of both that lies in the period that begins there. */
const ownIn = (startMs: number, one: Own, other: Own): Own => ({
  startMs,
  requests: (one.startMs === startMs ? one.requests : 0) + (other.startMs === startMs ? other.requests : 0),
  usd: (one.startMs === startMs ? one.usd : 0) + (other.startMs === startMs ? other.usd : 0)
})

const hourMs = 3_600_000

const trafficOf = ({ hourly, knownHours }: LedgerSpend, nowMs: number): Traffic => ({
  hourly, knownHours,
  hourOfDay: new Date(nowMs).getUTCHours(),
  hourShare: nowMs % hourMs / hourMs
})

/**
 * Makes the pacer of an account. Its state is a few numbers: what the ledger said last, what this process has
 * decided since, and mu.
 */
export const makePacer = (rule: PacingRule) => {
  let ledger: LedgerSpend | null = null
  let forecast = forecastOf(rule, { hourly: [0], knownHours: 0, hourOfDay: 0, hourShare: 0 })
  let shift = 0
  let leastUsd: number | null = null
  /** Of decisions before and after the look-up that is under way began. */
  let before = nothing
  let since = nothing

  const standing = ({ period: kind, usd }: BudgetTerms, nowMs: number): BudgetStanding => {
    // The ledger's clock decides: where it has begun a period, this process's own may be late.
    const period = ledger !== null && ledger.period.startMs > nowMs ? ledger.period : periodAt(kind, nowMs)
    // A new period has begun since the ledger was read: what is known of it is this process's own.
    const isOf = ledger !== null && ledger.period.startMs === period.startMs
    const { billedUsd, leftOutUsd, requests, waitingUsd } = isOf && ledger !== null ? ledger.spend : noSpend
    const own = ownIn(period.startMs, before, since)
    const ratio = ledger === null ? 1 : billsPerEstimate(rule, ledger.lastDay)
    const estimatedUsd = ratio * (waitingUsd + own.usd)
    const spentUsd = Math.max(0, billedUsd + estimatedUsd)
    const hourly = forecast.byHour.reduce((sum, each) => sum + each, 0) / forecast.byHour.length
    const keptUsd = Math.min(rule.reserveMax * usd, ratio * (leastUsd ?? 0) * hourly * rule.reserveHours)
    const leftUsd = usd - spentUsd - keptUsd
    const requestsLeft = requestsBetween(forecast, nowMs, period.endMs)
    const day = ledger?.lastDay ?? noSpend
    const meanUsd = day.requests > 0 ? (day.billedUsd + ratio * day.waitingUsd) / day.requests : 0
    return {
      period, spentUsd, estimatedUsd, leftOutUsd, leftUsd, requestsLeft, shift,
      requests: requests + own.requests,
      billsPerEstimate: ratio,
      perRequestUsd: perRequest(leftUsd, requestsLeft),
      expectedUsd: spentUsd + requestsLeft * Math.max(0, meanUsd)
    }
  }

  return {
    standing,
    /** Takes note of a decision: estimates of what is expected to run, and of the least that could, USD. */
    note: (
      terms: BudgetTerms,
      nowMs: number,
      { estimateUsd, leastUsd: least }: { readonly estimateUsd: number; readonly leastUsd: number }
    ): void => {
      leastUsd = leastAfter(rule, leastUsd, least)
      const now = standing(terms, nowMs)
      const { period: { startMs }, perRequestUsd, requestsLeft } = now
      shift = shiftAfter(rule, shift, {
        costUsd: now.billsPerEstimate * estimateUsd, perRequestUsd, requestsLeft
      })
      since = ownIn(startMs, since, { startMs, requests: 1, usd: estimateUsd })
    },
    /** A look-up begins: it sees the decisions until now. Yields mu, for the account's other processes. */
    begin: (): number | null => {
      before = ownIn(since.requests > 0 ? since.startMs : before.startMs, before, since)
      since = nothing
      return ledger === null ? null : shift
    },
    /** The look-up has ended. */
    end: (found: LedgerSpend, nowMs: number): void => {
      ledger = found
      before = nothing
      forecast = forecastOf(rule, trafficOf(found, nowMs))
      shift = Math.min(rule.shiftMax, Math.max(0, found.shift ?? shift))
    }
  }
}
