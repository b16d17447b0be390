/* What the bills say of the saving: the sentences and the figure of the page's headline. */
import type { Answers } from "./Answers.ts"
import { count, counted, money, percent, sumRange } from "./Figures.ts"

/** A figure, and sentences on what it covers and what it leaves open. */
export interface HeadlineFigure {
  readonly title: string
  readonly figure: string
  readonly sentences: ReadonlyArray<string>
}

type Summary = Answers["savings"]["summary"]
export type Followed = NonNullable<Summary["followed"]>

/** A gain over a model that was never billed is an unchecked estimate, and not shown; a loss is shown. */
export const isKnown = ({ basis, savings_usd: saved }: Pick<Followed, "basis" | "savings_usd">): boolean =>
  basis !== "none" && !(basis === "estimate" && saved > 0)

export const savedOrCost = (usd: number): string =>
  usd < 0 ? `cost ${money(-usd)} more` : `saved ${money(usd)}`

const outlierSentences = ({ cost_outliers_usd: usd = 0, n_cost_outliers: n = 0 }: Summary) =>
  n === 0 ? [] : [
    `Left out: ${counted(n, "bill")} of ${money(usd)} in all, each more than 50 times the highest estimate of`
    + " its request. The savings report counts them, and so does this page after a second such bill."
  ]

/** "saved $3.20 (95 % interval $1.10 to $5.00)"; without the interval where there is none. */
const savedWithin = (followed: Followed): string => {
  const { savings_high_usd: high, savings_low_usd: low, savings_usd: saved } = followed
  return low === null || high === null || low === high
    ? savedOrCost(saved)
    : `${savedOrCost(saved)} (95\u00a0% interval ${sumRange(low, high)})`
}

/** What the saving by the bills rests on. */
const basisSentences = (followed: Followed): ReadonlyArray<string> => {
  const { basis, bill_to_estimate_ratio: ratio, n, n_same_model: same } = followed
  if (basis === "same_model") return ["All of them ran that very model, so nothing was saved."]
  const ofSame = same === 0
    ? []
    : [`${count(same)} of the ${count(n)} ran that very model and saved nothing.`]
  const bills = counted(followed.n_baseline_bills, "bill")
  const scaled = `its estimates are multiplied by ${(ratio ?? 1).toFixed(2)}, by ${bills} of it`
  return [
    ...ofSame,
    basis === "bills"
      ? `What that model would have cost is estimated: ${scaled}.`
      : basis === "partly_estimate"
      ? `What that model would have cost is estimated. Of some models so named there are bills (${scaled});`
        + " of others there is none, so no interval is known."
      : "No bill of that model is known, so what it would have cost is an unchecked estimate."
  ]
}

export const billedSaving = ({ savings }: Answers): HeadlineFigure => {
  const { followed, realized_without_outliers: believed } = savings.summary
  const realized = believed ?? savings.summary.realized
  const outliers = outlierSentences(savings.summary)
  const title = "Billed saving"
  if (realized.n_reconciled === 0) {
    return {
      title,
      figure: "not known",
      sentences: [
        "No feedback carried a cost (actual_cost_usd), so the estimates are unchecked.",
        ...outliers
      ]
    }
  }
  const paid = `${counted(realized.n_reconciled, "request")} had a bill: you paid`
    + ` ${money(realized.realized_cost_usd)} in all.`
  if (followed == null || followed.basis === "none") {
    return {
      title,
      figure: "not known",
      sentences: [
        paid,
        "None of them both followed the advice and named the model you would otherwise use"
        + " (baseline_model_id), so what the advice saved is not known.",
        ...outliers
      ]
    }
  }
  return {
    title,
    figure: isKnown(followed) ? money(followed.savings_usd) : "not known",
    sentences: [
      `Only the ${counted(followed.n, "request")} that followed the advice, named the model you would`
      + ` otherwise use, and had a bill: you paid ${money(followed.cost_usd)}; that`
      + ` ${savedWithin(followed)}.`,
      ...basisSentences(followed),
      paid,
      ...outliers
    ]
  }
}

/** What the bills say of the saving, as the end of a sentence. */
export const byTheBills = ({ followed }: Summary): string => {
  if (followed == null || followed.basis === "none") return "no bill confirms it"
  const isEstimated = followed.basis === "estimate" || followed.basis === "partly_estimate"
  return `by the bills of the ${count(followed.n)} that followed it, it ${savedWithin(followed)}`
    + (isEstimated ? ", as far as that model's estimate is right" : "")
}

/** How often the advice was followed, as a sentence with a leading space; empty without feedback. */
export const followedSentence = ({ followed }: Summary): string =>
  followed?.followed_share == null
    ? ""
    : ` The advice was followed in ${percent(followed.followed_share)} of them.`
