/** The verdict on a policy, and the labels that would allow a verdict. */
import type { PolicyWorth } from "../../../../src/stats/DoublyRobust.ts"
import type { Estimate } from "./LogEstimates.ts"

export type Verdict = "saves" | "costs_more" | "not_enough" | "baseline"

export type Withheld =
  /** On more than 5 % of the rows, the policy's pick did not run and had a chance under 2 % to run. */
  | "not_shown"
  /** Fewer than 100 rows with a label, or with a cost, ran the policy's pick, or effectively under 50. */
  | "few_matches"
  /** The rows with a label, or with a cost, that ran the policy's pick lie in fewer than ten time blocks. */
  | "few_blocks"
  /** The policy's picks ran clearly more or less often than the learned habit of the log predicts. */
  | "habit_unclear"
  /** The baseline itself cannot be judged. */
  | "baseline_unknown"
  /** The interval of the saving overlaps the range from −0.5 % to 0.5 %. */
  | "no_saving_excluded"

export interface Shown {
  readonly success: PolicyWorth
  readonly bills: PolicyWorth
  /** Number of time blocks in which the policy's pick ran with a label, or with a cost if these are fewer. */
  readonly blocks: number
  /** Mean weight of rows on which the pick was possible: 1 / its chance if it ran, else 0. Ideally 1. */
  readonly habitFit: number
  /** Standard error of `habitFit`. */
  readonly habitError: number
}

/** A verdict needs a saving or a loss above this share of the baseline's cost. */
export const leastSaving = 0.005

const supportMin = 0.95

/** Minimum number of rows with a label, and of rows with a cost, that ran the pick of a judged policy. */
export const matchesMin = 100
const effectiveMin = 50
const blocksMin = 10

/** `habitFit` may differ from 1 by a tenth or by three standard errors, whichever is more. */
const fitTolerance = 0.1
const fitErrors = 3

/** The reason why a policy is not judged; null if the policy is judged. */
export const withheldOf = ({ bills, blocks, habitError, habitFit, success }: Shown): Withheld | null => {
  if (Math.min(success.supportedShare, bills.supportedShare) < supportMin) return "not_shown"
  if (Math.min(success.matched, bills.matched) < matchesMin) return "few_matches"
  if (Math.min(success.effectiveSampleSize, bills.effectiveSampleSize) < effectiveMin) return "few_matches"
  if (blocks < blocksMin) return "few_blocks"
  return Math.abs(habitFit - 1) > Math.max(fitTolerance, fitErrors * habitError) ? "habit_unclear" : null
}

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
 * Expected number of further labels for a verdict; null if none is needed or the number is unknown. An
 * interval's width falls with the square root of the matches. If an interval reaches h from its saving s
 * toward 0, a verdict needs (h / s)² times as many matches, and at least 100.
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
