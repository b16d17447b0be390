/* Success under the advice against the account's own model, in words: what stands beside every saving. */
import type { Answers } from "./Answers.ts"
import { counted, interval, percent, points, price } from "./Figures.ts"

type Comparison = NonNullable<Answers["savings"]["comparison"]>
type Lack = NonNullable<Comparison["lacks"]>

/** A comparison whose figures are there. */
export interface Compared {
  readonly success: number
  readonly baseline: number
  readonly difference: number
  readonly low: number
  readonly high: number
}

/** The figures of a comparison; null while it lacks something. */
export const comparedOf = (comparison: Comparison | null | undefined): Compared | null => {
  const { baseline_success: baseline = null, difference = null, success = null } = comparison ?? {}
  if (comparison == null || success === null || baseline === null || difference === null) return null
  const { difference_high: high, difference_low: low } = comparison
  return { success, baseline, difference, low: low ?? -1, high: high ?? 1 }
}

/** "+3.1 points", "−0.4 points" */
export const signedPoints = (share: number): string => `${share < 0 ? "−" : "+"}${points(share)}`

/** Whether the interval of a difference holds 0. */
export const isUndecided = ({ high, low }: Compared): boolean => low <= 0 && high >= 0

/** The one thing to do for a comparison. */
export const nextSteps: { readonly [L in Lack]: string } = {
  baseline: "To compare, name your own model (baseline_model_id).",
  verified_outcomes: "To compare, report verified outcomes (evidence_source).",
  followed_outcomes: "To compare, report 30 verified outcomes of followed advice.",
  baseline_outcomes: "To compare, let some picks be drawn at random (selection_policy)."
}

/** What it takes to compare; null where it is compared. */
export const nextStep = ({ savings: { comparison } }: Pick<Answers, "savings">): string | null =>
  comparison == null
    ? "The outcomes cannot be read now: select Refresh in a moment."
    : comparison.lacks === null ? null : nextSteps[comparison.lacks]

/** "81 % succeed at $0.0104 a call, against your model's 73 % at $0.0126." */
export const comparisonSentence = ({ savings: { comparison } }: Pick<Answers, "savings">): string => {
  const compared = comparedOf(comparison)
  const cost = comparison?.cost_per_call_usd ?? null
  const own = comparison?.baseline_cost_per_call_usd ?? null
  const at = (usd: number | null) => usd === null ? "" : ` at ${price(usd)}`
  if (compared === null) {
    const money = cost === null || own === null
      ? ""
      : `A call costs ${price(cost)}, against your model's ${price(own)}. `
    return `${money}Success: not compared yet.`
  }
  return `${percent(compared.success)} succeed${at(cost)}${cost === null ? "" : " a call"}, against your`
    + ` model's ${percent(compared.baseline)}${at(own)}.`
}

/** "−5.0 to +11.1 points" */
export const differenceRange = ({ high, low }: Compared): string =>
  `${signedPoints(low).replace(" points", "")} to ${signedPoints(high)}`

/** What the comparison rests on, in sentences. */
export const comparisonGrounds = (answers: Pick<Answers, "savings">): ReadonlyArray<string> => {
  const { comparison } = answers.savings
  const compared = comparedOf(comparison)
  if (comparison == null || compared === null) return [nextStep(answers) ?? ""]
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
