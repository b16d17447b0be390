/** How a budget stands, tracked in one process: the sums of the ledger, and its decisions since. */
import {
  billsPerEstimate, forecastOf, leastAfter, type PacingRule, type Period, perRequest, periodAt,
  requestsBetween, shiftAfter, type Traffic
} from "./BudgetPacing.ts"

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
  /** What recent decisions without a report reserve above their estimates. */
  readonly marginUsd: number
  /** Part of bills that is left out of `billedUsd`, because it is far above every estimate. */
  readonly leftOutUsd: number
}

export const noSpend: SpendSums = {
  requests: 0, billedUsd: 0, billedEstimateUsd: 0, waitingUsd: 0, marginUsd: 0, leftOutUsd: 0
}

/** What a decision reserves, USD. */
export interface ReservedCost {
  /** Estimate of the model that is expected to run. */
  readonly estimateUsd: number
  /** What is reserved above the estimate times the ratio of bills to estimates. */
  readonly marginUsd: number
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
export interface BudgetState {
  readonly period: Period
  readonly requests: number
  /** Bills, and of decisions without a report what they reserve. */
  readonly spentUsd: number
  /** The part of `spentUsd` that is estimated. */
  readonly estimatedUsd: number
  readonly leftOutUsd: number
  /** What is kept back for bursts, for the cheapest models. */
  readonly keptUsd: number
  /** Neither spent nor kept back; below 0 where the budget is exceeded. */
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

/** Requests that this process has seen in a period, and what they reserve. */
interface Own extends ReservedCost {
  readonly startMs: number
  readonly requests: number
}

const nothing: Own = { startMs: NaN, requests: 0, estimateUsd: 0, marginUsd: 0 }

/** The sum of those that lie in the period that begins there. */
const ownIn = (startMs: number, ...parts: ReadonlyArray<Own>): Own => {
  let { estimateUsd, marginUsd, requests } = nothing
  for (const part of parts) {
    if (part.startMs !== startMs) continue
    requests += part.requests
    estimateUsd += part.estimateUsd
    marginUsd += part.marginUsd
  }
  return { startMs, requests, estimateUsd, marginUsd }
}

/** The sum of both that lies in the newer of their periods. */
const inNewest = (one: Own, other: Own): Own =>
  ownIn(one.requests === 0 || other.startMs > one.startMs ? other.startMs : one.startMs, one, other)

const hourMs = 3_600_000

const trafficOf = ({ hourly, knownHours }: LedgerSpend, nowMs: number): Traffic => ({
  hourly, knownHours,
  hourOfDay: new Date(nowMs).getUTCHours(),
  hourShare: nowMs % hourMs / hourMs
})

/** A decision that counts as spent while it is not known to be in the ledger. */
interface SpendHold {
  readonly reservedUsd: number
  /** The budget with it. */
  readonly state: BudgetState
  /** Ends the hold, once. */
  readonly release: (end: HoldEnd) => void
}

/**
 * How a hold ends. A decision counts on until the ledger is read, or where it waits to be written, until a
 * later one is. One that is dropped never counts.
 */
export type HoldEnd = "dropped" | "waiting" | "written"

/**
 * Tracks the spending of an account. The state is a few numbers, what the ledger said last, what
 * this process has decided since, and mu; and the decisions that are being written, which a look-up may not
 * see.
 */
export const trackBudget = (rule: PacingRule) => {
  let ledger: LedgerSpend | null = null
  let forecast = forecastOf(rule, { hourly: [0], knownHours: 0, hourOfDay: 0, hourShare: 0 })
  let shift = 0
  let leastUsd: number | null = null
  /** Decisions that were written before and after the look-up that is under way began. */
  let before = nothing
  let since = nothing
  /** Decisions that are being written, and those that an outage keeps from it. */
  const held = new Set<Own>()
  let waiting = nothing
  /** What was held since that look-up began, USD. */
  let unreadUsd = 0

  const state = ({ period: kind, usd }: BudgetTerms, nowMs: number): BudgetState => {
    // The ledger's clock decides: where it has begun a period, this process's own may be late.
    const period = ledger !== null && ledger.period.startMs > nowMs ? ledger.period : periodAt(kind, nowMs)
    // A new period has begun since the ledger was read: what is known of it is this process's own.
    const isOf = ledger !== null && ledger.period.startMs === period.startMs
    const { billedUsd, leftOutUsd, marginUsd, requests, waitingUsd } = isOf && ledger !== null
      ? ledger.spend
      : noSpend
    const own = ownIn(period.startMs, before, since, waiting, ...held)
    const ratio = ledger === null ? 1 : billsPerEstimate(rule, ledger.lastDay)
    const estimatedUsd = ratio * (waitingUsd + own.estimateUsd) + marginUsd + own.marginUsd
    const spentUsd = Math.max(0, billedUsd + estimatedUsd)
    const hourly = forecast.byHour.reduce((sum, each) => sum + each, 0) / forecast.byHour.length
    const keptUsd = Math.min(rule.reserveMax * usd, ratio * (leastUsd ?? 0) * hourly * rule.reserveHours)
    const leftUsd = usd - spentUsd - keptUsd
    const requestsLeft = requestsBetween(forecast, nowMs, period.endMs)
    const day = ledger?.lastDay ?? noSpend
    const meanUsd = day.requests > 0 ? (day.billedUsd + ratio * day.waitingUsd) / day.requests : 0
    return {
      period, spentUsd, estimatedUsd, leftOutUsd, keptUsd, leftUsd, requestsLeft, shift,
      requests: requests + own.requests,
      billsPerEstimate: ratio,
      perRequestUsd: perRequest(leftUsd, requestsLeft),
      expectedUsd: spentUsd + requestsLeft * Math.max(0, meanUsd)
    }
  }

  return {
    state,
    /** Holds what a decision reserves, where the least that it could have cost is `least`, USD. */
    hold: (terms: BudgetTerms, nowMs: number, cost: ReservedCost, least: number): SpendHold => {
      leastUsd = leastAfter(rule, leastUsd, least)
      const { billsPerEstimate: ratio, period: { startMs }, perRequestUsd, requestsLeft } =
        state(terms, nowMs)
      const costUsd = ratio * cost.estimateUsd
      const reservedUsd = costUsd + cost.marginUsd
      shift = shiftAfter(rule, shift, { costUsd, perRequestUsd, requestsLeft })
      unreadUsd += reservedUsd
      const own: Own = { startMs, requests: 1, ...cost }
      held.add(own)
      return {
        reservedUsd,
        state: state(terms, nowMs),
        release: (end) => {
          held.delete(own)
          if (end === "waiting") waiting = inNewest(waiting, own)
          if (end !== "written") return
          since = inNewest(inNewest(since, own), waiting)
          waiting = nothing
        }
      }
    },
    /**
     * Whether so much was held since the last look-up that other processes may have spent as much: then the
     * next look-up should not wait. Once nothing is left it may.
     */
    isDue: ({ usd }: BudgetTerms, { leftUsd }: BudgetState): boolean =>
      unreadUsd > rule.unreadMax * usd && leftUsd > 0,
    /** A look-up begins: it sees the decisions until now. Yields mu, for the account's other processes. */
    begin: (): number | null => {
      before = inNewest(before, since)
      since = nothing
      unreadUsd = 0
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
