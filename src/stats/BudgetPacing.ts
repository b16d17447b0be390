/**
 * Budget pacing: how far a threshold must fall so that an account's spending meets its budget.
 * `engine/policies/BudgetCriteria.ts` lowers the threshold.
 *
 * A bound on a sum of costs has a Lagrange multiplier, mu, which is learned by descent on the dual problem.
 * After a request that cost c, with rho as the budget per request still to come,
 *
 * mu <- clip(mu - epsilon * (rho - c) / rho, 0, muMax)
 *
 * So mu rises while requests cost more than rho, and falls to 0 while requests cost less. The multiplier mu
 * is a distance on the cost/quality slider: a model is chosen at the request's slider minus mu. Since rho
 * follows the budget and the traffic that are left, the rest of the period corrects earlier errors.
 *
 * @see Balseiro and Gur, "Learning in repeated auctions with budgets", Management Science 65 (2019), 3952
 * @see Badanidiyuru, Kleinberg and Slivkins, "Bandits with knapsacks", FOCS (2013): an exhausted budget ends
 * all spending that can be avoided
 */
import { clamp } from "./Clamp.ts"

export interface PacingRule {
  /**
   * Maximum of mu (the shift of the slider), slider units. With this shift every request has the lowest
   * threshold.
   */
  readonly shiftMax: number
  /**
   * The learning step epsilon times the root of the number of requests still to come, slider units. Regret
   * falls with this root.
   */
  readonly stepScale: number
  /** Minimum and maximum of the learning step epsilon, slider units. */
  readonly stepMin: number
  readonly stepMax: number
  /**
   * Maximum cost of a request that moves mu, in budgets per request, because one expensive request is no
   * trend.
   */
  readonly excessMax: number
  /**
   * Reserve for bursts that the forecast does not foresee, in hours of mean traffic at the lowest cost of a
   * request. The reserve pays for a burst in the last hour of a period.
   */
  readonly reserveHours: number
  /**
   * Maximum reserve as a share of the budget. The reserve counts as spent, and without a limit could take the
   * whole budget.
   */
  readonly reserveMax: number
  /** Share of the budget that a process may reserve before it reads the ledger again. */
  readonly unreadMax: number
  /** Number of requests over which the mean of the lowest costs is taken. */
  readonly leastMemory: number
  /** Weight of the week's traffic level against the level of the last day, in hours of traffic. */
  readonly levelPullHours: number
  /** Expected length of a burst, hours. */
  readonly surgeHours: number
  /** Weight of the mean over all hours against the mean of an hour of the day, in days. */
  readonly profilePullDays: number
  /** Weight of a ratio of 1 against the measured ratio of bills to estimates, as a share of all estimates. */
  readonly ratioPull: number
  /** Minimum and maximum of the ratio of bills to estimates. */
  readonly ratioMin: number
  readonly ratioMax: number
}

/** Number of hours in a day, and in the week that a forecast is based on. */
const dayHours = 24
export const weekHours = 168

/**
 * Returns mu (the shift of the slider) after a request.
 *
 * @param shift mu (the shift of the slider) before the request, in [0, shiftMax], slider units
 * @param costUsd expected cost of the request, USD
 * @param perRequestUsd rho, the budget per request still to come, USD; 0 or less if nothing is left
 * @param requestsLeft expected number of requests still to come
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

/** An account's requests of the last week. */
export interface Traffic {
  /** Requests in each hour, newest first: the present hour, then at most {@link weekHours} whole hours. */
  readonly hourly: ReadonlyArray<number>
  /** Number of whole hours since the account's first request; zeros before this time say nothing. */
  readonly knownHours: number
  /** The present hour of the day, in [0, 23], and the part of that hour that has passed, in [0, 1). */
  readonly hourOfDay: number
  readonly hourShare: number
}

/**
 * The traffic that an account is assumed to have before its first request: ten requests an hour, for 6
 * minutes.
 */
const prior = { requests: 1, hours: 0.1 }

/** The expected number of requests in each hour of the day. */
interface SpendForecast {
  /** A list of 24 numbers, one for each hour, from midnight on. */
  readonly byHour: ReadonlyArray<number>
  /** Requests of a burst that are still to come, if the last 60 minutes had more requests than usual. */
  readonly surge: number
}

/**
 * Forecasts the traffic: the mean of each hour of the day over the known days, pulled toward the mean over
 * all hours. The forecast is multiplied by the level of the last day, because traffic may grow.
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

/**
 * Computes the ratio of bills to estimates over decisions that have both. The fewer of the estimated dollars
 * have a bill, the more the ratio is pulled toward 1. The ratio corrects the estimates of decisions without a
 * report, so pacing reacts before their bills arrive.
 */
export const billsPerEstimate = (
  { ratioMax, ratioMin, ratioPull }: Pick<PacingRule, "ratioMax" | "ratioMin" | "ratioPull">,
  { billedEstimateUsd, billedUsd, waitingUsd }: {
    readonly billedUsd: number
    /** Sum of the estimates of the decisions whose bills are in `billedUsd`. */
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

/**
 * Updates a moving mean of about {@link PacingRule.leastMemory} costs, USD, with one more cost. The mean is
 * null before the first cost.
 */
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
