/* What the figures of the first screen rest on, in sentences: what each covers and leaves open. */
import type { Answers, Slice } from "./Answers.ts"
import { element, type Element, folded, paragraph } from "./Element.ts"
import { count, counted, money, percent, pointsOr } from "./Figures.ts"
import { type Figure, tierFigure, tiersOf } from "./SavingTiers.ts"

type Summary = Answers["savings"]["summary"]

interface Means {
  readonly predicted: number
  readonly realized: number
}

/** Outcomes below which rates are uncertain, count: their 95 % interval is wider than 35 points. */
const outcomesFew = 30

/** Mean prediction and mean outcome of a slice; null without outcomes. */
export const meansOf = ({ bins, n }: Slice): Means | null => {
  if (n === 0) return null
  const sum = (of: "avg_predicted" | "avg_realized") =>
    bins.reduce((total, bin) => total + bin.n * (bin[of] ?? 0), 0)
  return { predicted: sum("avg_predicted") / n, realized: sum("avg_realized") / n }
}

/** What the calls were estimated to cost: no saving, since nothing of it is checked. */
const estimatedCost = ({ savings }: Answers): Figure => {
  const { estimated } = savings.summary
  return {
    title: "Estimated cost",
    figure: money(estimated.cost_recommended_usd),
    sentences: [
      `Of the advised models, on all ${counted(estimated.n, "request")}. The most expensive candidates would`
      + ` come to ${money(estimated.cost_premium_usd)}.`,
      estimated.n_declared === 0
        ? "No request named the model you would otherwise use (baseline_model_id), so no saving is known."
        : `On the ${counted(estimated.n_declared, "request")} that named it, the model you would otherwise`
          + ` use would come to ${money(estimated.cost_declared_usd)}, before its estimates are scaled.`
    ]
  }
}

/** The parts of all bills that no saving compares, as sentences; none where all are compared. */
const notCompared = ({ followed, ...summary }: Summary): ReadonlyArray<string> => {
  const { cost_outliers_usd: outliersUsd = 0, n_cost_outliers: outliers = 0 } = summary
  const believed = summary.realized_without_outliers ?? summary.realized
  const declaredUsd = believed.est_cost_declared_usd - believed.savings_vs_declared_est_usd
  const parts = [
    {
      n: believed.n_reconciled - believed.n_declared, usd: believed.realized_cost_usd - declaredUsd,
      words: (n: number) => `${counted(n, "call")} named no model of yours`
    },
    {
      n: believed.n_declared - (followed?.n ?? 0), usd: declaredUsd - (followed?.cost_usd ?? 0),
      words: (n: number) => `${counted(n, "call")} ran another model, or broke`
    },
    {
      n: outliers, usd: outliersUsd,
      words: (n: number) => `${counted(n, "bill")} of more than 50 times the highest estimate, which no other`
        + " bill confirms"
    }
  ]
  return parts.filter(({ n }) => n > 0)
    .map(({ n, usd, words }) => `${money(usd)} is not compared: ${words(n)}.`)
}

const billed = ({ savings: { summary } }: Answers): Figure => {
  const { followed, realized } = summary
  return {
    title: "Billed cost",
    figure: realized.n_reconciled === 0 ? "not known" : money(realized.realized_cost_usd),
    sentences: realized.n_reconciled === 0
      ? ["No feedback carried a cost (actual_cost_usd)."]
      : [
        `${counted(realized.n_reconciled, "request")} had a bill.`,
        ...(followed == null || followed.n === 0 ? [] : [
          `${money(followed.cost_usd)} is compared with your own model: ${counted(followed.n, "call")}.`
        ]),
        ...notCompared(summary)
      ]
  }
}

/** How many calls that followed the advice the saving counts, and why no more; none where it counts all. */
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

const predictions = ({ calibration: { drift_flags: flags, reports } }: Answers): Figure => {
  const [global] = reports
  const means = global === undefined ? null : meansOf(global)
  if (global === undefined || means === null) {
    return {
      title: "Predictions",
      figure: "unchecked",
      sentences: ["No outcome can be compared with a prediction yet."]
    }
  }
  const drifting = flags.filter(({ left_at: left }) => left == null).length
  return {
    title: "Predictions",
    figure: `${percent(means.predicted)} predicted, ${percent(means.realized)} succeeded`,
    sentences: [
      `They are off by ${pointsOr(global.ece)} on average, on ${counted(global.n, "outcome")}; a partial`
      + ` success counts half.${global.n < outcomesFew ? " With so few outcomes that is uncertain." : ""}`,
      drifting === 0
        ? "No model that runs repeatedly misses its predictions."
        : `${counted(drifting, "model")} repeatedly ${drifting === 1 ? "misses" : "miss"} them: see Quality.`
    ]
  }
}

const unknownSaving: Figure = {
  title: "Saving",
  figure: "not known",
  sentences: [
    "No request followed the advice, named the model you would otherwise use (baseline_model_id), and had a"
    + " bill or token counts."
  ]
}

/** The figures behind the first screen, the savings first. */
export const figuresOf = (answers: Answers): ReadonlyArray<Figure> => {
  const tiers = tiersOf(answers.savings.summary)
  return [
    ...(tiers.length === 0 ? [unknownSaving] : tiers.map(tierFigure)),
    ...followedCalls(answers),
    billed(answers),
    estimatedCost(answers),
    predictions(answers)
  ]
}

/** The sentences behind the figures, folded away. */
export const grounds = (answers: Answers): Element =>
  folded(
    "What these figures rest on",
    element("div", { class: "grounds" }, ...figuresOf(answers).flatMap(({ figure, sentences, title }) => [
      element("h3", {}, `${title}: ${figure}`), ...sentences.map(paragraph)
    ]))
  )
