/**
 * Budget pacing: how far a threshold must fall so that an account's spending meets its budget.
 * `engine/policies/BudgetCriteria.ts` lowers it.
 *
 * A constraint on the sum of costs has one price, its multiplier mu. It is learned by descent on the dual:
 * after every request that cost c, while rho is the budget per request still to come,
 *
 *     mu <- clip(mu - epsilon * (rho - c) / rho, 0, muMax)
 *
 * so that mu rises while requests cost more than the budget has for each, and falls to 0 where it has enough.
 * Here mu is a distance on the cost/quality slider: a request is chosen for at its slider less mu. Since rho
 * follows what is left of budget and traffic, errors of the past are corrected by the rest of the period.
 *
 * @see Balseiro and Gur, "Learning in repeated auctions with budgets", Management Science 65 (2019), 3952
 * @see Badanidiyuru, Kleinberg and Slivkins, "Bandits with knapsacks", FOCS (2013): a budget that is used up
 * ends the spending that can be avoided
 */
import { clamp } from "./Clamp.ts"

/** Numbers of the pacing. */
export interface PacingRule {
  /** Highest mu, slider units: from there every request is chosen for at the lowest threshold. */
  readonly shiftMax: number
  /** epsilon times the root of the requests still to come, slider units: regret falls by that root. */
  readonly stepScale: number
  /** Least and highest epsilon, slider units. */
  readonly stepMin: number
  readonly stepMax: number
  /** Highest cost of one request that moves mu, in budgets per request: one dear request is no trend. */
  readonly excessMax: number
  /**
   * What is kept back for requests that the forecast does not know of, hours of mean traffic at the least
   * that a request may cost: a burst in the last hour must be served too.
   */
  readonly reserveHours: number
  /** The highest part of the budget that is kept back, share: where the least is dear, it counts as spent. */
  readonly reserveMax: number
  /** What a process reserves between two looks at the ledger while some is left, share of the budget. */
  readonly unreadMax: number
  /** Requests that the mean least cost remembers, count. */
  readonly leastMemory: number
  /** Requests that the level of the last day is pulled to that of the week by, in hours of traffic. */
  readonly levelPullHours: number
  /** How long a burst is expected to go on, hours. */
  readonly surgeHours: number
  /** Days of one hour of the day that the mean over all hours weighs as, count. */
  readonly profilePullDays: number
  /** Share of all estimates by which the ratio of bills to estimates is pulled to 1. */
  readonly ratioPull: number
  /** Range of that ratio. */
  readonly ratioMin: number
  readonly ratioMax: number
}

/** Hours in a day, and in the week that a forecast rests on. */
const dayHours = 24
export const weekHours = 168

/**
 * mu after a request.
 *
 * @param shift mu before it, in [0, shiftMax], slider units
 * @param costUsd what the request is expected to cost, USD
 * @param perRequestUsd rho, the budget per request still to come, USD; 0 or less where none is left
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
  /** Requests by the hours since, the running hour first, then at most {@link weekHours} whole ones. */
  readonly hourly: ReadonlyArray<number>
  /** Whole hours since the account's first request, count: earlier zeros say nothing. */
  readonly knownHours: number
  /** The present hour of the day, in [0, 23], and the part of it that has passed, in [0, 1). */
  readonly hourOfDay: number
  readonly hourShare: number
}

/** Requests and hours that are believed of an account before its first request: ten an hour, for 6 min. */
const prior = { requests: 1, hours: 0.1 }

/** Expected requests of each hour of the day. */
interface SpendForecast {
  /** 24 numbers, midnight first. */
  readonly byHour: ReadonlyArray<number>
  /** Requests of the last 60 minutes beyond those: a burst, which may go on for as long. */
  readonly surge: number
}

/**
 * The forecast: the mean of each hour of the day over the known days, pulled to the mean over all hours,
 * which is all that a young account has; times the level of the last day against it, for growth.
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

/**
 * Expected requests from one moment to a later one, both in ms since midnight UTC of any day. The running
 * hour counts by the part of it that is left.
 */
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
 * Bills per estimate, over decisions that have both: 1 without any, and pulled to it while they are few
 * among all. Estimates that wait for their reports are multiplied by it, so that bills which are higher than
 * their estimates are paced before they come.
 */
export const billsPerEstimate = (
  { ratioMax, ratioMin, ratioPull }: Pick<PacingRule, "ratioMax" | "ratioMin" | "ratioPull">,
  { billedEstimateUsd, billedUsd, waitingUsd }: {
    readonly billedUsd: number
    /** What had been estimated of the decisions behind `billedUsd`. */
    readonly billedEstimateUsd: number
    readonly waitingUsd: number
  }
): number => {
  const pull = ratioPull * (billedEstimateUsd + waitingUsd)
  return pull > 0 ? clamp((billedUsd + pull) / (billedEstimateUsd + pull), ratioMin, ratioMax) : 1
}

/** What is left of a budget for each request still to come, USD: rho. 0 where nothing is left. */
export const perRequest = (leftUsd: number, requestsLeft: number): number =>
  Math.max(0, leftUsd) / Math.max(1, requestsLeft)

/** The mean of {@link PacingRule.leastMemory} newest costs, USD, after one more; null before the first. */
export const leastAfter = (
  { leastMemory }: Pick<PacingRule, "leastMemory">,
  meanUsd: number | null,
  leastUsd: number
): number => meanUsd === null ? leastUsd : meanUsd + (leastUsd - meanUsd) / leastMemory

/** A span of time, ms since 1970: from its start up to its end, which is the next one's start. */
export interface Period {
  readonly startMs: number
  readonly endMs: number
}

/** The day or month in UTC that holds a moment, ms since 1970. */
export const periodAt = (kind: "day" | "month", nowMs: number): Period => {
  const now = new Date(nowMs)
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return kind === "day"
    ? { startMs: Date.UTC(year, month, day), endMs: Date.UTC(year, month, day + 1) }
    : { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) }
}
