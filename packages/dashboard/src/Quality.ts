/* Success with the advice against success with the account's own model, in words. */
import type { Answers } from "./Answers.ts"
import { counted, interval, points } from "./Figures.ts"

type Comparison = NonNullable<Answers["savings"]["comparison"]>
type Lack = NonNullable<Comparison["lacks"]>

interface Compared {
  readonly success: number
  readonly baseline: number
  readonly difference: number
  readonly low: number
  readonly high: number
}

const shown = (share: number): number => Math.round(share * 1_000) / 1_000

/** Success of the advice and of the account's own model, and the difference of the rounded rates. */
export const comparedOf = (comparison: Comparison | null | undefined): Compared | null => {
  const { baseline_success: baseline = null, success = null } = comparison ?? {}
  if (comparison == null || success === null || baseline === null) return null
  const { difference_high: high, difference_low: low } = comparison
  return { success, baseline, difference: shown(success) - shown(baseline), low: low ?? -1, high: high ?? 1 }
}

/** A difference of two shares with its sign: "+3.1 points", "−0.4 points", "0.0 points". */
export const signedPoints = (share: number): string => {
  const words = points(share)
  return words === points(0) ? words : `${share < 0 ? "−" : "+"}${words}`
}

export const isUndecided = ({ high, low }: Compared): boolean => low <= 0 && high >= 0

const nextSteps: { readonly [L in Lack]: string } = {
  baseline: "To compare, name your own model (baseline_model_id).",
  verified_outcomes: "To compare, report verified outcomes (evidence_source).",
  followed_outcomes: "To compare, report 30 verified outcomes of followed advice.",
  baseline_outcomes: "To compare, draw some picks at random."
}

interface Step {
  readonly words: string
  readonly run?: string
}

type Known = Pick<Answers, "command" | "policyValue" | "savings">

/** The next step toward a comparison; null if the comparison is made. */
export const nextStep = ({ command, policyValue, savings: { comparison } }: Known): Step | null => {
  if (comparison == null) return { words: "The outcomes cannot be read now: select Refresh in a moment." }
  const { lacks } = comparison
  if (lacks === null) return null
  const run = `${command} account set --instance ${policyValue.org_id} --selection-policy epsilon_softmax`
  return { words: nextSteps[lacks], ...(lacks === "baseline_outcomes" ? { run } : {}) }
}

/** "−5.0 to +11.1 points" */
export const differenceRange = ({ high, low }: Pick<Compared, "high" | "low">): string =>
  `${signedPoints(low).replace(" points", "")} to ${signedPoints(high)}`

/** A comparison in short: "−2.4 points (−9.1 to +4.2)", or "not compared yet". */
export const comparedWords = (comparison: Comparison | null | undefined): string => {
  const compared = comparedOf(comparison)
  return compared === null
    ? "not compared yet"
    : `${signedPoints(compared.difference)} (${differenceRange(compared).replace(" points", "")})`
}

export const comparisonGrounds = ({ savings: { comparison } }: Known): ReadonlyArray<string> => {
  const compared = comparedOf(comparison)
  if (comparison == null || compared === null) return []
  const { baseline_success_high: ownHigh, baseline_success_low: ownLow, n } = comparison
  const { success_high: high, success_low: low } = comparison
  return [
    `Success is estimated on the ${counted(n, "call")} that named your own model and whose outcome a check or`
    + ` a person verified: ${interval(low, high)} with the advice, ${interval(ownLow, ownHigh)}`
    + " with your own model (95 % intervals)."
    + (comparison.basis === "doubly-robust"
      ? ""
      : " Your own model did not run on all kinds of them, so a part is Sextant's prediction."),
    `The difference is ${signedPoints(compared.difference)}, 95 % interval ${differenceRange(compared)}`
    + `${isUndecided(compared) ? ": not enough to tell which succeeds more often" : ""}. Costs a call are`
    + " those of the saving."
  ]
}
