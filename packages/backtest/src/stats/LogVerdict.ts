/** The verdict that the figures of a policy on a foreign log allow, and the labels that would allow more. */
import type { PolicyWorth } from "../../../../src/stats/DoublyRobust.ts"
import type { Estimate } from "./LogEstimates.ts"

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

/**
 * What is known of a policy beside its estimates: of its success, of its bills, and of how often its picks
 * ran.
 */
export interface Shown {
  readonly success: PolicyWorth
  readonly bills: PolicyWorth
  /** Blocks of time with a known outcome of its picks, the fewer of both kinds. */
  readonly blocks: number
  /** Mean weight of the rows, 1 where the log's habit was understood, and its error. */
  readonly habitFit: number
  readonly habitError: number
}

/** Shares of costs closer than this are not told apart by any log of a realistic size. */
export const leastSaving = 0.005

const supportMin = 0.95

/** Labelled and billed matches from which a policy is judged, count. */
export const matchesMin = 100
const effectiveMin = 50
const blocksMin = 10

/** How far the mean weight may be from 1: a tenth, or three standard errors. */
const fitTolerance = 0.1
const fitErrors = 3

/** Why a policy's success and cost are not known; null where they are. */
export const withheldOf = ({ bills, blocks, habitError, habitFit, success }: Shown): Withheld | null => {
  if (Math.min(success.supportedShare, bills.supportedShare) < supportMin) return "not_shown"
  if (Math.min(success.matched, bills.matched) < matchesMin) return "few_matches"
  if (Math.min(success.effectiveSampleSize, bills.effectiveSampleSize) < effectiveMin) return "few_matches"
  if (blocks < blocksMin) return "few_blocks"
  return Math.abs(habitFit - 1) > Math.max(fitTolerance, fitErrors * habitError) ? "habit_unclear" : null
}

/** What can be said of a policy's cost beside the baseline's. */
export const verdictOf = (
  isBaseline: boolean,
  own: Withheld | null,
  saving: Estimate | null
): { readonly verdict: Verdict; readonly withheld: Withheld | null } => {
  if (isBaseline) return { verdict: "baseline", withheld: own }
  if (own !== null) return { verdict: "not_enough", withheld: own }
  if (saving === null) return { verdict: "not_enough", withheld: "baseline_unknown" }
  if (saving.low > leastSaving) return { verdict: "saves", withheld: null }
  if (saving.high < -leastSaving) return { verdict: "costs_more", withheld: null }
  return { verdict: "not_enough", withheld: "no_saving_excluded" }
}

/**
 * Labelled calls of the same kind, beside those of the log, that would be enough in expectation; null where
 * none would. An interval narrows with the root of the matches: a saving s whose interval reaches h toward
 * none needs (h / s)^2 times as many, and at least 100.
 */
export const labelsNeeded = (
  withheld: Withheld | null,
  matchedLabelled: number,
  labelled: number,
  saving: Estimate | null
): number | null => {
  if (withheld === null || withheld === "not_shown" || withheld === "habit_unclear") return null
  if (matchedLabelled === 0) return null
  if (saving !== null && Math.abs(saving.value) < leastSaving) return null
  const { high, low, value } = saving ?? { value: 1, low: 1, high: 1 }
  const reach = value > 0 ? value - low : high - value
  const matches = Math.max(matchesMin, matchedLabelled * (reach / value) ** 2)
  return matches > matchedLabelled ? Math.ceil(labelled * (matches / matchedLabelled - 1)) : null
}
