/** The verdict that the figures of a policy on a foreign log allow, and the data that would allow more. */
import { extremeMean, largestGamma, type ResidualClasses } from "./HiddenCause.ts"
import type { CostRatio } from "./LogEstimates.ts"
import type { Summed } from "./LogSummary.ts"

/** "not_enough" to tell; the baseline is not compared with itself. */
export type Verdict = "saves" | "costs_more" | "not_enough" | "baseline"

/** Why the log cannot tell. */
export type Withheld =
  /** The log could not have shown the policy's picks on more than a twentieth of the rows. */
  | "not_shown"
  /** Fewer than 100 labelled or billed matches, or as good as fewer than 50. */
  | "few_matches"
  /** The matches lie in fewer than ten blocks of time. */
  | "few_blocks"
  /** The picks ran clearly more or less often than the log's habit explains. */
  | "habit_unclear"
  /** The baseline itself cannot be judged. */
  | "baseline_unknown"
  /** The interval of the saving includes none. */
  | "no_saving_excluded"

/** What would be enough, in expectation; null where it is not known. */
export interface Needed {
  /** More rows of the same kind. */
  readonly moreRows: number | null
  /** Calls of which this share is spread evenly over the models. */
  readonly exploredShare: number
  readonly exploredCalls: number | null
}

/** Ratios of costs closer to 1 than this are not told apart by any log of a realistic size. */
const leastLog = 0.005

const supportMin = 0.95
const matchesMin = 100
const effectiveMin = 50
const blocksMin = 10

/** How far the mean weight may be from 1: a tenth, or three standard errors. */
const fitTolerance = 0.1
const fitErrors = 3

/** Why a policy's success and cost are not known; null where they are. */
export const withheldOf = (summed: Summed): Withheld | null => {
  const { blocks, habitError, habitFit, matchedBilled, matchedLabelled, ofCost, ofSuccess } = summed
  if (summed.rows === 0 || summed.support < supportMin * summed.rows) return "not_shown"
  if (Math.min(matchedBilled, matchedLabelled) < matchesMin) return "few_matches"
  if (Math.min(ofCost, ofSuccess) < effectiveMin) return "few_matches"
  if (blocks < blocksMin) return "few_blocks"
  if (Math.abs(habitFit - 1) > Math.max(fitTolerance, fitErrors * habitError)) return "habit_unclear"
  return null
}

/** What can be said of a policy's cost beside the baseline's. */
export const verdictOf = (
  isBaseline: boolean,
  own: Withheld | null,
  baseline: Withheld | null,
  compared: CostRatio | null
): { readonly verdict: Verdict; readonly withheld: Withheld | null } => {
  if (isBaseline) return { verdict: "baseline", withheld: own }
  if (own !== null) return { verdict: "not_enough", withheld: own }
  if (baseline !== null || compared === null) return { verdict: "not_enough", withheld: "baseline_unknown" }
  if (compared.log + compared.above < -leastLog) return { verdict: "saves", withheld: null }
  if (compared.log - compared.below > leastLog) return { verdict: "costs_more", withheld: null }
  return { verdict: "not_enough", withheld: "no_saving_excluded" }
}

const exploredShare = 0.03

/**
 * What would be enough. An interval narrows with the root of the rows, so a difference d with an interval
 * that reaches h toward zero needs (h / d)^2 times as many matches, and at least 100. Rows of the same kind
 * bring as many per row as so far. A share `e` of calls spread evenly over K models, of which a share `l` is
 * labelled, brings e l / K a call.
 */
export const neededOf = ({ compared, labelledShare, models, summed }: {
  readonly compared: CostRatio | null
  readonly labelledShare: number
  readonly models: number
  readonly summed: Summed
}): Needed => {
  const { matchedLabelled, rows } = summed
  const toward = compared === null ? 0 : compared.log < 0 ? compared.above : compared.below
  const isClose = compared !== null && Math.abs(compared.log) < leastLog
  const factor = compared === null ? 1 : (toward / Math.abs(compared.log)) ** 2
  const matches = Math.max(matchesMin, matchedLabelled * factor)
  const more = matchedLabelled > 0 ? Math.ceil(rows * (matches / matchedLabelled - 1)) : 0
  return {
    moreRows: isClose || more <= 0 ? null : more,
    exploredShare,
    exploredCalls: isClose || labelledShare === 0
      ? null
      : Math.ceil(matches * models / (exploredShare * labelledShare))
  }
}

/** The sums and residuals of a policy, and its mean cost. */
type Disputed = readonly [summed: Summed, residuals: ResidualClasses, costUsd: number]

/** The most or least that a policy may cost per row when a hidden cause is as strong as `gamma`. */
const extremeCost = (
  [{ rows, support }, residuals, costUsd]: Disputed,
  gamma: number,
  sign: 1 | -1
): number =>
  costUsd + (support / rows) * (extremeMean(residuals, gamma, sign) - extremeMean(residuals, 1, sign))

/** The odds ratio up to which a hidden cause leaves the verdict as it is. The interval keeps its reach. */
export const sensitivityOf = (
  verdict: Verdict,
  { above, below }: CostRatio,
  own: Disputed,
  baseline: Disputed
): number | null => {
  if (verdict !== "saves" && verdict !== "costs_more") return null
  const sign = verdict === "saves" ? 1 : -1
  const reach = verdict === "saves" ? above : below
  return largestGamma((gamma) => {
    const mine = extremeCost(own, gamma, sign)
    const theirs = extremeCost(baseline, gamma, sign === 1 ? -1 : 1)
    if (!(mine > 0) || !(theirs > 0)) return !(mine > 0) === (sign === 1)
    return sign * Math.log(mine / theirs) + reach < 0
  })
}
