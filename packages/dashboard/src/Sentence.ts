/* The sentence at the top: the spending, the cost with the callers' own model, and the success. */
import type { Answers } from "./Answers.ts"
import { count, counted, nameOf, percent, sum } from "./Figures.ts"
import { comparedOf, comparedWords } from "./Quality.ts"
import { isKnown, tiersOf } from "./SavingTiers.ts"

type Known = Pick<Answers, "dashboard" | "savings">
type Summary = Answers["savings"]["summary"]

/** The callers' own models, up to two by name; "your own models" for more, "your own model" if unknown. */
export const ownModel = ({ dashboard: { baselines = [] } }: Pick<Answers, "dashboard">): string => {
  if (baselines.length === 0) return "your own model"
  return baselines.length > 2
    ? "your own models"
    : baselines.map(nameOf).join(" or ")
}

/** The two most frequent of more than two own models, "gpt-4.1 and gpt-5"; empty for up to two models. */
export const ownNames = ({ dashboard: { baselines = [] } }: Pick<Answers, "dashboard">): string => {
  return baselines.length <= 2 ? "" : baselines.slice(0, 2).map(nameOf).join(" and ")
}

interface Alternative {
  readonly usd: number
  readonly savedUsd: number
  readonly n: number
  readonly nSpent: number
}

/** All spending, had the compared calls run the callers' own model; null if no saving is known. */
const alternativeOf = (summary: Summary): Alternative | null => {
  const known = tiersOf(summary).map(({ saved }) => saved).filter(isKnown)
  if (known.length === 0) return null
  const savedUsd = known.reduce((total, { savings_usd: usd }) => total + usd, 0)
  const { cost_usd: spentUsd, n_billed: billed, n_list_prices: listed } = summary.spend
  const n = known.reduce((total, each) => total + each.n, 0)
  return { usd: spentUsd + savedUsd, savedUsd, n, nSpent: billed + listed }
}

/** Minimum share of compared calls that the sentence calls "everything". Chosen. */
const everythingFrom = 0.97

const spentWords = ({ spend }: Summary): string => {
  const { cost_usd: usd, list_prices_usd: listed, n_list_prices: n } = spend
  const share = n === 0 ? "" : listed === usd
    ? ", all of it at list prices"
    : `, ${percent(listed / usd)} of it at list prices`
  return `${sum(usd)} spent${share}`
}

const alternativeWords = ({ n, nSpent, usd }: Alternative, own: string): string =>
  n >= everythingFrom * nSpent
    ? `${own} for everything would have cost ${sum(usd)}`
    : `${own} for the ${count(n)} of ${counted(nSpent, "call")} that compare would have made it ${
      sum(usd)
    }`

const tradeWords = ({ savings: { comparison, summary } }: Known): string => {
  const [tier] = tiersOf(summary).filter(({ saved }) => isKnown(saved))
  const { savings_high_usd: most = null, savings_low_usd: least = null } = tier?.saved ?? {}
  if (least !== null && most !== null && least < 0 && most > 0) return " What it saved is not sure."
  const compared = comparedOf(comparison)
  const { baseline_cost_per_call_usd: own = null, cost_per_call_usd: cost = null } = comparison ?? {}
  if (compared === null || own === null || cost === null || compared.difference === 0) return ""
  const { difference, high, low } = compared
  if (low < 0 && high > 0) return " Which succeeds more often is not known."
  const saved = own - cost
  const each = sum(Math.abs(saved / difference))
  if (difference < 0) {
    return saved > 0 ? ` That is ${each} saved per success lost.` : " It costs more and succeeds less."
  }
  return saved < 0 ? ` That is ${each} paid per success gained.` : " It costs less and succeeds more."
}

/** The spending and success of a window, against the callers' own model, in one or two sentences. */
export const sentence = (answers: Known): string => {
  const { savings: { summary } } = answers
  const { estimated: { n }, spend: { n_billed: billed, n_list_prices: listed } } = summary
  if (billed + listed === 0) {
    return `${counted(n, "call")} advised; what they cost is not known, since no report has a bill or`
      + " tokens."
  }
  const alternative = alternativeOf(summary)
  if (alternative === null && comparedOf(answers.savings.comparison) === null) {
    return `${counted(n, "call")} advised: ${spentWords(summary)}. What it saved is not known yet.`
  }
  const instead = alternative === null
    ? "what your own model would have cost is not known"
    : alternativeWords(alternative, ownModel(answers))
  const success = comparedWords(answers.savings.comparison)
  return `${spentWords(summary)}; ${instead}; success ${success}.${tradeWords(answers)}`
}
