/* How what was billed is made up: what the saving compares, and what it does not, with why. */
import type { Answers } from "./Answers.ts"
import { element, type Element } from "./Element.ts"
import { count, counted, money } from "./Figures.ts"
import { type HeadlineFigure, tiersOf } from "./SavingTiers.ts"

type Summary = Answers["savings"]["summary"]

interface Part {
  readonly n: number
  readonly usd: number
  readonly noun: string
  /** After "76 calls". */
  readonly why: string
}

/** The parts of all bills that no saving compares; empty where all are compared. */
const leftOut = ({ followed, ...summary }: Summary): ReadonlyArray<Part> => {
  const { cost_outliers_usd: outliersUsd = 0, n_cost_outliers: outliers = 0 } = summary
  const believed = summary.realized_without_outliers ?? summary.realized
  const declaredUsd = believed.est_cost_declared_usd - believed.savings_vs_declared_est_usd
  return [
    {
      n: believed.n_reconciled - believed.n_declared,
      usd: believed.realized_cost_usd - declaredUsd,
      noun: "call",
      why: "named no model of yours"
    },
    {
      n: believed.n_declared - (followed?.n ?? 0),
      usd: declaredUsd - (followed?.cost_usd ?? 0),
      noun: "call",
      why: "ran another model, or broke"
    },
    { n: outliers, usd: outliersUsd, noun: "bill", why: "far above every estimate" }
  ].filter(({ n }) => n > 0)
}

/** What all bills are made up of, a line for each part; null where the saving compares none, or each. */
export const billedParts = (summary: Summary): Element | null => {
  const billed = tiersOf(summary).find(({ kind }) => !kind.isListed)
  const parts = leftOut(summary)
  if (billed === undefined || parts.length === 0) return null
  const { cost_usd: usd, n } = billed.saved
  const lines = [
    `${money(usd)} is compared with your own model: ${counted(n, "call")}.`,
    ...parts.map((part) => `${money(part.usd)} is not compared: ${counted(part.n, part.noun)} ${part.why}.`)
  ]
  return element("ul", { class: "plain parts", "aria-label": "Of what you spent" },
    ...lines.map((line) => element("li", {}, line)))
}

/** How many calls that followed the advice the saving counts, and why no more; null where it counts all. */
export const followedCounts = (summary: Summary): HeadlineFigure | null => {
  const all = summary.followed?.n_followed ?? 0
  const tiers = tiersOf(summary)
  const rest = tiers.reduce((left, { saved }) => left - saved.n, all)
  if (rest <= 0) return null
  const compared = tiers.map(({ kind, saved }) => `${count(saved.n)} with ${kind.has}`)
  return {
    title: "Calls that followed the advice",
    figure: count(all),
    sentences: [`The saving counts ${compared.join(" and ") || "none"}. The other ${count(rest)} named no`
      + " model of yours (baseline_model_id), have no known cost, or a provider broke them."]
  }
}
