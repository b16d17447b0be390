/**
 * Budget pacing: how far the slider must fall so that an account's spending meets its budget. Mu, the
 * Lagrange multiplier of the bound on spending, is learned by descent. After a request that cost c, with rho
 * as the budget per request still to come: mu <- clip(mu - epsilon * (rho - c) / rho, 0, muMax). A model is
 * chosen at the request's slider minus mu.
 *
 * @see Balseiro and Gur, "Learning in repeated auctions with budgets", Management Science 65 (2019), 3952
 * @see Badanidiyuru, Kleinberg and Slivkins, "Bandits with knapsacks", FOCS (2013), on exhausted budgets
 */
import { clamp } from "./Clamp.ts"

export interface PacingRule {
  /** Maximum of mu (the shift of the slider), slider units. */
  readonly shiftMax: number
  /** Product of the learning step epsilon and the square root of the number of requests to come. */
  readonly stepScale: number
  /** Minimum and maximum of the learning step epsilon, slider units. */
  readonly stepMin: number
  readonly stepMax: number
  /** Maximum cost that moves mu, in budgets per request, because one expensive request is no trend. */
  readonly excessMax: number
  /** Reserve for unforeseen bursts, in hours of mean traffic at the lowest cost of a request. */
  readonly reserveHours: number
  /** Maximum reserve for bursts, as a share of the budget. */
  readonly reserveMax: number
  /** Share of the budget that a process may reserve before it reads the ledger again. */
  readonly unreadMax: number
  /** Number of requests in the moving mean of the cheapest allowed choice's cost. */
  readonly leastMemory: number
  /** Weight of the week's traffic level against the level of the last day, in hours of traffic. */
  readonly levelPullHours: number
  /** Expected length of a burst of requests, hours. */
  readonly surgeHours: number
  /** Weight of the mean over all hours against the mean of an hour of the day, in days. */
  readonly profilePullDays: number
  /** Weight of a ratio of 1 against the measured ratio of bills to estimates, as a share of all estimates. */
  readonly ratioPull: number
  /** Minimum and maximum of the ratio of bills to estimates. */
  readonly ratioMin: number
  readonly ratioMax: number
}

const dayHours = 24
export const weekHours = 168

/**
 * Returns mu (the shift of the slider) after a request.
 *
 * @param shift mu before the request, in [0, shiftMax], slider units
 * @param perRequestUsd rho, the budget per request still to come, USD; 0 or less if nothing is left
 */
export const shiftAfter = (
  rule: Pick<PacingRule, "excessMax" | "shiftMax" | "stepMax" | "stepMin" | "stepScale">,
  shift: number,
  { costUsd, perRequestUsd, requestsLeft }: {
    readonly costUsd: number
    readonly perRequestUsd: number
    readonly requestsLeft: number
  }
): number => {
  if (!(perRequestUsd > 0)) return costUsd > 0 ? rule.shiftMax : shift
  const step = clamp(rule.stepScale / Math.sqrt(Math.max(1, requestsLeft)), rule.stepMin, rule.stepMax)
  return clamp(shift + step * (Math.min(rule.excessMax, costUsd / perRequestUsd) - 1), 0, rule.shiftMax)
}

export interface Traffic {
  /** Requests in each hour, newest first: the present hour, then at most {@link weekHours} whole hours. */
  readonly hourly: ReadonlyArray<number>
  /** Number of whole hours after the hour of the account's first request, at most {@link weekHours}. */
  readonly knownHours: number
  /** The present hour of the day, in [0, 23], and the part of that hour that has passed, in [0, 1). */
  readonly hourOfDay: number
  readonly hourShare: number
}

/** The traffic that an account is assumed to have before its first request. */
const prior = { requests: 1, hours: 0.1 }

interface SpendForecast {
  /** Expected requests in each of the 24 hours from midnight on. */
  readonly byHour: ReadonlyArray<number>
  /** Requests of a burst that are still to come, if the last 60 minutes had more requests than usual. */
  readonly surge: number
}

/**
 * Forecasts the mean of each hour of the day, pulled toward the mean of all hours, at the last day's level.
 */
export const forecastOf = (
  rule: Pick<PacingRule, "levelPullHours" | "profilePullDays" | "surgeHours">,
  { hourOfDay, hourShare, hourly, knownHours }: Traffic
): SpendForecast => {
  const known = clamp(knownHours, 0, Math.min(weekHours, hourly.length - 1))
  const sums = new Array<number>(dayHours).fill(0)
  const days = new Array<number>(dayHours).fill(0)
  let total = 0
  for (let ago = 0; ago <= known; ago++) {
    const hour = (hourOfDay - ago % dayHours + dayHours) % dayHours
    const requests = hourly[ago] ?? 0
    total += requests
    sums[hour]! += requests
    days[hour]! += ago === 0 ? hourShare : 1
  }
  const mean = (total + prior.requests) / (known + hourShare + prior.hours)
  const profile = sums.map((sum, hour) =>
    (sum + rule.profilePullDays * mean) / (days[hour]! + rule.profilePullDays))
  let [seen, expected] = [0, 0]
  for (let ago = 0; ago <= Math.min(known, dayHours - 1); ago++) {
    const hour = (hourOfDay - ago + dayHours) % dayHours
    seen += hourly[ago] ?? 0
    expected += profile[hour]! * (ago === 0 ? hourShare : 1)
  }
  const pull = rule.levelPullHours * mean
  const level = (seen + pull) / (expected + pull)
  const byHour = profile.map((each) => each * level)
  const lastHour = (hourly[0] ?? 0) + (hourly[1] ?? 0) * (1 - hourShare)
  const usual = byHour[hourOfDay]! * hourShare
    + byHour[(hourOfDay + dayHours - 1) % dayHours]! * (1 - hourShare)
  return { byHour, surge: known < 1 ? 0 : Math.max(0, lastHour - usual) * rule.surgeHours }
}

const hourMs = 3_600_000

/** Computes the expected number of requests between two moments, both in ms since midnight UTC of any day. */
export const requestsBetween = (
  { byHour, surge }: SpendForecast,
  fromMs: number,
  untilMs: number
): number => {
  if (!(untilMs > fromMs)) return 0
  const wholeDays = Math.floor((untilMs - fromMs) / (dayHours * hourMs))
  let sum = surge * Math.min(1, (untilMs - fromMs) / hourMs)
  sum += wholeDays * byHour.reduce((total, each) => total + each, 0)
  let atMs = fromMs + wholeDays * dayHours * hourMs
  while (atMs < untilMs) {
    const nextMs = Math.min(untilMs, (Math.floor(atMs / hourMs) + 1) * hourMs)
    sum += byHour[Math.floor(atMs / hourMs) % dayHours]! * (nextMs - atMs) / hourMs
    atMs = nextMs
  }
  return sum
}

/** Computes the ratio of bills to estimates, pulled toward 1 while few decisions have both. */
export const billsPerEstimate = (
  { ratioMax, ratioMin, ratioPull }: Pick<PacingRule, "ratioMax" | "ratioMin" | "ratioPull">,
  { billedEstimateUsd, billedUsd, waitingUsd }: {
    readonly billedUsd: number
    readonly billedEstimateUsd: number
    readonly waitingUsd: number
  }
): number => {
  const pull = ratioPull * (billedEstimateUsd + waitingUsd)
  return pull > 0 ? clamp((billedUsd + pull) / (billedEstimateUsd + pull), ratioMin, ratioMax) : 1
}

/** Computes rho: the budget per request still to come, USD, >= 0. */
export const perRequest = (leftUsd: number, requestsLeft: number): number =>
  Math.max(0, leftUsd) / Math.max(1, requestsLeft)

/** Returns the moving mean of about {@link PacingRule.leastMemory} costs, USD, after one more cost. */
export const leastAfter = (
  { leastMemory }: Pick<PacingRule, "leastMemory">,
  meanUsd: number | null,
  leastUsd: number
): number => meanUsd === null ? leastUsd : meanUsd + (leastUsd - meanUsd) / leastMemory

/** A period of a budget, ms since 1970; the moment of its end does not belong to it. */
export interface Period {
  readonly startMs: number
  readonly endMs: number
}

/** Returns the day or month in UTC that contains a moment, ms since 1970. */
export const periodAt = (kind: "day" | "month", nowMs: number): Period => {
  const now = new Date(nowMs)
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return kind === "day"
    ? { startMs: Date.UTC(year, month, day), endMs: Date.UTC(year, month, day + 1) }
    : { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) }
}
