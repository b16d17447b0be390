/** The state of a budget in one process: sums from the ledger, and the decisions since they were read. */
import {
  billsPerEstimate, forecastOf, leastAfter, type PacingRule, type Period, perRequest, periodAt,
  requestsBetween, shiftAfter, type Traffic
} from "./BudgetPacing.ts"

export interface BudgetTerms {
  readonly usd: number
  readonly period: "day" | "month"
}

export interface SpendSums {
  readonly requests: number
  /** Known costs of reported calls, each up to a limit. Other calls, unless broken, add to `waitingUsd`. */
  readonly billedUsd: number
  readonly billedEstimateUsd: number
  readonly waitingUsd: number
  /** Amounts that recent decisions without a report reserve beyond their estimates. */
  readonly marginUsd: number
  /** Sum of the amounts by which costs exceed their limit in `billedUsd`. */
  readonly leftOutUsd: number
}

export const noSpend: SpendSums = {
  requests: 0, billedUsd: 0, billedEstimateUsd: 0, waitingUsd: 0, marginUsd: 0, leftOutUsd: 0
}

export interface ReservedCost {
  readonly estimateUsd: number
  /** Amount that is reserved beyond the estimate times the ratio of bills to estimates, USD. */
  readonly marginUsd: number
}

export interface LedgerSpend {
  readonly period: Period
  readonly spend: SpendSums
  readonly lastDay: SpendSums
  readonly hourly: ReadonlyArray<number>
  readonly knownHours: number
  /** Moving mean of mu (the slider's shift) over the account's processes; null before the first value. */
  readonly shift: number | null
}

export interface BudgetState {
  readonly period: Period
  readonly requests: number
  /** Sum of known costs, and of the reserves for calls of unknown cost, USD. */
  readonly spentUsd: number
  readonly estimatedUsd: number
  readonly leftOutUsd: number
  /** Reserve for bursts, at the mean cost of the cheapest allowed choices, USD. */
  readonly keptUsd: number
  /** Budget that is neither spent nor reserved for bursts, USD; may be below 0. */
  readonly leftUsd: number
  readonly billsPerEstimate: number
  readonly requestsLeft: number
  /** rho: the budget per request still to come, USD. */
  readonly perRequestUsd: number
  readonly shift: number
  /** Expected spending at the end of the period, at the last day's cost per request, USD. */
  readonly expectedUsd: number
}

interface Own extends ReservedCost {
  readonly startMs: number
  readonly requests: number
}

const nothing: Own = { startMs: NaN, requests: 0, estimateUsd: 0, marginUsd: 0 }

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

/** Adds up two sums of decisions of this process; a sum of an older period is left out. */
const inNewest = (one: Own, other: Own): Own =>
  ownIn(one.requests === 0 || other.startMs > one.startMs ? other.startMs : one.startMs, one, other)

const hourMs = 3_600_000

const trafficOf = ({ hourly, knownHours }: LedgerSpend, nowMs: number): Traffic => ({
  hourly, knownHours,
  hourOfDay: new Date(nowMs).getUTCHours(),
  hourShare: nowMs % hourMs / hourMs
})

/** A decision that is being written; its reserve counts as spent. */
interface SpendHold {
  readonly reservedUsd: number
  /** The state of the budget, which counts this decision's reserve as spent. */
  readonly state: BudgetState
  /** Ends the hold of this decision; callers must call this function exactly once. */
  readonly release: (end: HoldEnd) => void
}

/**
 * How a decision's hold ends. The process counts a written decision itself until a look-up that began after
 * the write has ended. A decision whose write failed counts as written once a later decision is written.
 */
export type HoldEnd = "dropped" | "waiting" | "written"

/** Decisions that are being written are kept separately, because a look-up may not see them. */
export const trackBudget = (rule: PacingRule) => {
  let ledger: LedgerSpend | null = null
  let forecast = forecastOf(rule, { hourly: [0], knownHours: 0, hourOfDay: 0, hourShare: 0 })
  let shift = 0
  let leastUsd: number | null = null
  /** Sums of the decisions that this process wrote before the present look-up began, and since then. */
  let before = nothing
  let since = nothing
  const held = new Set<Own>()
  /** Decisions whose write failed or was interrupted. */
  let waiting = nothing
  /** Amount that was reserved since the last look-up began, USD. */
  let unreadUsd = 0

  const state = ({ period: kind, usd }: BudgetTerms, nowMs: number): BudgetState => {
    // The clock of this process may be behind the ledger's period.
    const period = ledger !== null && ledger.period.startMs > nowMs ? ledger.period : periodAt(kind, nowMs)
    // If a new period began after the look-up, this process knows only its own decisions of that period.
    const { billedUsd, leftOutUsd, marginUsd, requests, waitingUsd } =
      ledger?.period.startMs === period.startMs ? ledger.spend : noSpend
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
    /** `least` is the estimated cost of the cheapest choice that the request allows, USD. */
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
    /** A look-up is due if this process has reserved much, because others may have reserved much too. */
    isDue: ({ usd }: BudgetTerms, { leftUsd }: BudgetState): boolean =>
      unreadUsd > rule.unreadMax * usd && leftUsd > 0,
    /** Returns the slider's present shift; null before any look-up ended. */
    begin: (): number | null => {
      before = inNewest(before, since)
      since = nothing
      unreadUsd = 0
      return ledger === null ? null : shift
    },
    end: (found: LedgerSpend, nowMs: number): void => {
      ledger = found
      before = nothing
      forecast = forecastOf(rule, trafficOf(found, nowMs))
      shift = Math.min(rule.shiftMax, Math.max(0, found.shift ?? shift))
    }
  }
}
