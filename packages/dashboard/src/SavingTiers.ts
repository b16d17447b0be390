/* The saving of calls that followed the advice, by their bills and separately at list prices. */
import type { Answers } from "./Answers.ts"
import { count, counted, money, sumRange } from "./Figures.ts"

export interface Figure {
  readonly title: string
  readonly figure: string
  readonly sentences: ReadonlyArray<string>
}

type Summary = Answers["savings"]["summary"]
type Followed = NonNullable<Summary["followed"]>

export type Saved = Pick<
  Followed,
  | "basis" | "cost_baseline_usd" | "cost_usd" | "is_significant" | "n" | "n_missing" | "n_same_model"
  | "savings_high_usd" | "savings_low_usd" | "savings_usd"
>

interface CostKind {
  readonly title: string
  /** True if costs are at list prices, which charts show by hollow marks and bars. */
  readonly isListed: boolean
  readonly by: string
  /** The data that a call needs to count in one kind of saving: "a bill". */
  readonly has: string
  /** The missing data that keep a call out of one kind of saving: "a bill". */
  readonly lacks: string
  readonly cost: string
  /** Says how many costs of the callers' own model are known: "40 bills of it". */
  readonly costsOfIt: (n: number) => string
  /** The words in front of the cost of the calls: "you paid". */
  readonly paid: string
  readonly of: (summary: Summary) => Saved | null
  readonly ratioOf: (followed: Followed) => Pick<Tier, "nCosts" | "ratio">
}

const costKinds: ReadonlyArray<CostKind> = [
  {
    title: "Billed saving",
    isListed: false,
    by: "By the bills",
    has: "a bill",
    lacks: "a bill",
    cost: "bill",
    costsOfIt: (n) => `${counted(n, "bill")} of it`,
    paid: "you paid",
    of: ({ followed }) => followed ?? null,
    ratioOf: ({ bill_to_estimate_ratio: ratio, n_baseline_bills: nCosts }) => ({ ratio, nCosts })
  },
  {
    title: "Saving at list prices",
    isListed: true,
    by: "At list prices",
    has: "tokens and no bill",
    lacks: "a bill or tokens",
    cost: "cost at list prices",
    costsOfIt: (n) => `${counted(n, "cost")} of it at list prices`,
    paid: "at list prices they cost",
    of: ({ followed }) => followed?.list_prices ?? null,
    ratioOf: ({ list_prices: listed }) =>
      ({ ratio: listed?.cost_to_estimate_ratio ?? null, nCosts: listed?.n_baseline_costs ?? 0 })
  }
]

interface Tier {
  readonly kind: CostKind
  readonly saved: Saved
  /** Factor that corrects the baselines' estimates by their known costs; null if nothing is estimated. */
  readonly ratio: number | null
  /** Number of known costs of baselines behind `ratio`. */
  readonly nCosts: number
}

export const tiersOf = (summary: Summary): ReadonlyArray<Tier> =>
  costKinds.flatMap((kind) => {
    const saved = kind.of(summary)
    const { followed } = summary
    return followed == null || saved === null || saved.basis === "none"
      ? []
      : [{ kind, saved, ...kind.ratioOf(followed) }]
  })

/** False if a saving has no basis, or is a gain that only an unchecked estimate shows. */
export const isKnown = ({ basis, savings_usd: saved }: Pick<Saved, "basis" | "savings_usd">): boolean =>
  basis !== "none" && !(basis === "estimate" && saved > 0)

const savedOrCost = (usd: number): string => usd < 0 ? `cost ${money(-usd)} more` : `saved ${money(usd)}`

/** "95 % interval $1.10 to $5.00"; empty if its ends are unknown or equal. */
export const intervalWords = ({ savings_high_usd: high, savings_low_usd: low }: Saved): string =>
  low === null || high === null || low === high ? "" : `95\u00a0% interval ${sumRange(low, high)}`

/** True if calls without a cost could reverse a saving or loss that the interval seems to prove. */
const isTurnable = (
  { is_significant: isSure, savings_high_usd: high, savings_low_usd: low }: Saved
): boolean =>
  isSure === false && low !== null && high !== null && (low > 0 || high < 0)

/** Why a saving or loss is uncertain: its interval spans 0, or missing costs could reverse it; else empty. */
export const undecidedWords = ({ kind, saved }: Pick<Tier, "kind" | "saved">): string => {
  const { n_missing: missing, savings_high_usd: high, savings_low_usd: low } = saved
  if (isTurnable(saved)) {
    const calls = counted(missing ?? 0, "more call")
    return `not enough to tell, since ${calls} without ${kind.lacks} could turn it`
  }
  return low !== null && high !== null && low < high && low <= 0 && high >= 0 ? "not enough to tell" : ""
}

/** Says how many comparable calls lack the cost that the saving needs. */
const missingSentence = ({ kind, saved: { n_missing: missing } }: Pick<Tier, "kind" | "saved">) =>
  missing == null || missing === 0
    ? []
    : [`${counted(missing, "more call")} that followed it and named that model came without ${kind.lacks}.`]

/** "saved $3.20 (95 % interval $1.10 to $5.00)", and whether that is not enough to tell. */
const savedWithin = (tier: Pick<Tier, "kind" | "saved">): string => {
  const [within, undecided] = [intervalWords(tier.saved), undecidedWords(tier)]
  const words = savedOrCost(tier.saved.savings_usd)
  return within === "" ? words : `${words} (${within}${undecided === "" ? "" : `: ${undecided}`})`
}

const basisSentences = ({ kind, nCosts, ratio, saved }: Tier): ReadonlyArray<string> => {
  const { basis, n, n_same_model: same } = saved
  if (basis === "same_model") return ["All of them ran that very model, so nothing was saved."]
  const ofSame = same === 0
    ? []
    : [`${count(same)} of the ${count(n)} ran that very model and saved nothing.`]
  const scaled = `its estimates are multiplied by ${(ratio ?? 1).toFixed(2)}, by ${kind.costsOfIt(nCosts)}`
  return [
    ...ofSame,
    basis === "bills"
      ? `What that model would have cost is estimated: ${scaled}.`
      : basis === "partly_estimate"
      ? `What that model would have cost is estimated. Some models so named have a ${kind.cost} (${scaled});`
        + " others have none, so no interval is known."
      : `No ${kind.cost} of that model is known, so what it would have cost is an unchecked estimate.`
  ]
}

export const tierFigure = (tier: Tier): Figure => {
  const { kind, saved } = tier
  return {
    title: kind.title,
    figure: isKnown(saved) ? money(saved.savings_usd) : "not known",
    sentences: [
      `Only the ${counted(saved.n, "request")} that followed the advice, named the model you would otherwise`
      + ` use, and had ${kind.has}: ${kind.paid} ${money(saved.cost_usd)}; that ${savedWithin(tier)}.`,
      ...missingSentence(tier),
      ...basisSentences(tier)
    ]
  }
}

/** The saving in sentences, one for each kind of cost. */
export const savedSentences = (summary: Summary): string => {
  const tiers = tiersOf(summary)
  if (tiers.length === 0) return "No bill and no token count says what it saved."
  return tiers.map((tier, index) => {
    const { kind, saved } = tier
    const isChecked = saved.basis === "bills" || saved.basis === "same_model"
    const calls = index > 0 ? `${count(saved.n)} others` : counted(saved.n, "call")
    return `${kind.by} of the ${calls} that followed the advice, it ${savedWithin(tier)} against the model`
      + ` you would otherwise use${isChecked ? "" : ", as far as that model's estimate is right"}.`
  }).join(" ")
}
