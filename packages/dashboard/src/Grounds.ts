/* The grounds of the first screen's figures, in sentences: the calls that each figure counts or omits. */
import type { Answers } from "./Answers.ts"
import { element, type Element, folded, paragraph } from "./Element.ts"
import { count, counted, money } from "./Figures.ts"
import { type Figure, tierFigure, tiersOf } from "./SavingTiers.ts"

type Summary = Answers["savings"]["summary"]

/** Sentences on the bills that are not compared with the callers' own models, with the reasons. */
const notCompared = ({ followed, ...summary }: Summary): ReadonlyArray<string> => {
  const { cost_outliers_usd: outliersUsd = 0, n_cost_outliers: outliers = 0 } = summary
  const believed = summary.realized_without_outliers ?? summary.realized
  const declaredUsd = believed.est_cost_declared_usd - believed.savings_vs_declared_est_usd
  const [undeclared, other] = [
    believed.n_reconciled - believed.n_declared, believed.n_declared - (followed?.n ?? 0)
  ]
  return [
    { n: undeclared, usd: believed.realized_cost_usd - declaredUsd, why: "call|named no model of yours" },
    { n: other, usd: declaredUsd - (followed?.cost_usd ?? 0), why: "call|ran another model, or broke" },
    {
      n: outliers, usd: outliersUsd,
      why: "bill|of more than 50 times the highest estimate, which no other bill confirms"
    }
  ].filter(({ n }) => n > 0).map(({ n, usd, why }) => {
    const [noun = "", words = ""] = why.split("|")
    return `${money(usd)} is not compared: ${counted(n, noun)} ${words}.`
  })
}

const billed = ({ savings: { summary } }: Answers): Figure => {
  const { followed, realized } = summary
  if (realized.n_reconciled === 0) {
    const sentences = ["No feedback carried a cost (actual_cost_usd)."]
    return { title: "Billed cost", figure: "not known", sentences }
  }
  return {
    title: "Billed cost",
    figure: money(realized.realized_cost_usd),
    sentences: [
      `${counted(realized.n_reconciled, "request")} had a bill.`,
      ...(followed == null || followed.n === 0 ? [] : [
        `${money(followed.cost_usd)} is compared with your own model: ${counted(followed.n, "call")}.`
      ]),
      ...notCompared(summary)
    ]
  }
}

/** The figure of calls that followed the advice; an empty list if the saving counts all of them. */
const followedCalls = ({ savings: { summary } }: Answers): ReadonlyArray<Figure> => {
  const all = summary.followed?.n_followed ?? 0
  const tiers = tiersOf(summary)
  const rest = tiers.reduce((left, { saved }) => left - saved.n, all)
  const compared = tiers.map(({ kind, saved }) => `${count(saved.n)} with ${kind.has}`)
  return rest <= 0 ? [] : [{
    title: "Calls that followed the advice",
    figure: count(all),
    sentences: [`The saving counts ${compared.join(" and ") || "none"}. The other ${count(rest)} named no`
      + " model of yours (baseline_model_id), have no known cost, or a provider broke them."]
  }]
}

const unknownSaving: Figure = {
  title: "Saving",
  figure: "not known",
  sentences: [
    "No request followed the advice, named the model you would otherwise use (baseline_model_id), and had a"
    + " bill or token counts."
  ]
}

export const figuresOf = (answers: Answers): ReadonlyArray<Figure> => {
  const tiers = tiersOf(answers.savings.summary)
  return [
    ...(tiers.length === 0 ? [unknownSaving] : tiers.map(tierFigure)), ...followedCalls(answers),
    billed(answers)
  ]
}

export const grounds = (answers: Answers): Element =>
  folded(
    "What these figures rest on",
    element("div", { class: "grounds" }, ...figuresOf(answers).flatMap(({ figure, sentences, title }) => [
      element("h3", {}, `${title}: ${figure}`), ...sentences.map(paragraph)
    ]))
  )
