/* The sentences at the top of the page: what was saved, and how far the figures can be trusted. */
import type { Answers, Slice } from "./Answers.ts"
import { count, counted, money, percent, relative, saving, shareOr } from "./Figures.ts"

/** A figure, and sentences on what it covers and what it leaves open. */
export interface HeadlineFigure {
  readonly title: string
  readonly figure: string
  readonly sentences: ReadonlyArray<string>
}

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

const estimatedSaving = ({ savings }: Answers): HeadlineFigure => {
  const { estimated } = savings.summary
  const ofDeclared = estimated.n_declared === 0
    ? "No request named the model you would otherwise use (baseline_model_id), so the saving against it is "
      + "not known."
    : `On the ${counted(estimated.n_declared, "request")} that named the model you would otherwise use:`
      + ` ${saving(estimated.savings_vs_declared_usd, estimated.cost_declared_usd)} than with that model.`
  return {
    title: "Estimated saving",
    figure: money(estimated.savings_vs_premium_usd),
    sentences: [
      `${relative(estimated.savings_vs_premium_usd, estimated.cost_premium_usd)} than the most expensive `
        + `candidate`
      + " of each request would cost: a generous baseline.",
      ofDeclared
    ]
  }
}

/** The bills without outliers: those far above every estimate that no second bill confirms. */
const realizedOf = (summary: Summary): Summary["realized"] =>
  summary.realized_without_outliers ?? summary.realized

const outlierSentences = ({ cost_outliers_usd: usd = 0, n_cost_outliers: n = 0 }: Summary) =>
  n === 0 ? [] : [
    `Left out: ${counted(n, "bill")} of ${money(usd)} in all, each more than 50 times the highest estimate of`
    + " its request. The savings report counts them, and so does this page after a second such bill."
  ]

const billedSaving = ({ savings }: Answers): HeadlineFigure => {
  const realized = realizedOf(savings.summary)
  if (realized.n_reconciled === 0) {
    return {
      title: "Billed saving",
      figure: "not known",
      sentences: [
        "No feedback carried a cost (actual_cost_usd), so the estimates are unchecked.",
        ...outlierSentences(savings.summary)
      ]
    }
  }
  const {
    est_cost_premium_usd: premium, est_cost_recommended_usd: estimated, savings_vs_premium_est_usd: saved
  } = realized
  const ofDeclared = realized.n_declared === 0
    ? []
    : [`On the ${count(realized.n_declared)} of them that named the model you would otherwise use: `
      + saving(realized.savings_vs_declared_est_usd, realized.est_cost_declared_usd)
      + " than it was estimated to cost."]
  return {
    title: "Billed saving",
    figure: money(saved),
    sentences: [
      `Only the ${counted(realized.n_reconciled, "request")} whose cost was reported: you paid`
      + ` ${money(realized.realized_cost_usd)}, ${relative(saved, premium)} than their most expensive `
      + `candidates`
      + " were estimated to cost.",
      `The models that Sextant picked for them were estimated to cost ${money(estimated)}: the bills were`
      + ` ${relative(estimated - realized.realized_cost_usd, estimated)}.`,
      ...ofDeclared,
      ...outlierSentences(savings.summary)
    ]
  }
}

const feedbackReceived = ({ calibration, savings }: Answers): HeadlineFigure => {
  const { feedback_coverage: coverage, recommendations } = savings.health
  const [global] = calibration.reports
  const means = global === undefined ? null : meansOf(global)
  return {
    title: "Feedback received",
    figure: percent(coverage),
    sentences: [
      coverage < 1
        ? `Feedback came for ${percent(coverage)} of ${counted(recommendations, "recommendation")}. The `
          + `outcomes`
          + " of the others are not known, and may differ."
        : `Feedback came for every one of ${counted(recommendations, "recommendation")}.`,
      global === undefined || means === null
        ? "No outcome can be compared with a prediction yet."
        : `${counted(global.n, "outcome")} can be compared with a prediction:`
          + ` ${percent(means.realized)} succeeded; a partial success counts half.`
    ]
  }
}

const predictionQuality = ({ calibration }: Answers): HeadlineFigure => {
  const [global] = calibration.reports
  const means = global === undefined ? null : meansOf(global)
  if (global === undefined || means === null) {
    return {
      title: "Predictions",
      figure: "unchecked",
      sentences: ["There are no outcomes to compare the predictions with."]
    }
  }
  const drifting = calibration.drift_flags.length
  return {
    title: "Predictions",
    figure: `${percent(means.predicted)} predicted, ${percent(means.realized)} succeeded`,
    sentences: [
      `Calibration error ${shareOr(global.ece)} on ${counted(global.n, "outcome")}; 0\u00a0% is perfect.`
      + (global.n < outcomesFew ? " With so few outcomes the error is uncertain." : ""),
      drifting === 0
        ? "No model repeatedly misses its predictions."
        : `${counted(drifting, "model")} repeatedly ${drifting === 1 ? "misses" : "miss"} them: see Drift.`
    ]
  }
}

/** The four figures at the top of the page. */
export const headlineFigures = (answers: Answers): ReadonlyArray<HeadlineFigure> =>
  [estimatedSaving, billedSaving, feedbackReceived, predictionQuality].map((figure) => figure(answers))

const savedOrCost = (usd: number): string =>
  usd < 0 ? `cost ${money(-usd)} more` : `saved ${money(usd)}`

/**
 * The page in three sentences; against the model that requests name, or else the most expensive candidate.
 */
export const verdict = ({ savings }: Answers): string => {
  const { estimated } = savings.summary
  const realized = realizedOf(savings.summary)
  const when = savings.days === 1 ? "the last 24 hours" : `the last ${count(savings.days)} days`
  const isDeclared = estimated.n_declared > 0
  const baseline = isDeclared ? "the model you would otherwise use" : "the most expensive candidate"
  const estimatedUsd = isDeclared ? estimated.savings_vs_declared_usd : estimated.savings_vs_premium_usd
  const billed = isDeclared ? realized.savings_vs_declared_est_usd : realized.savings_vs_premium_est_usd
  const nBilled = isDeclared ? realized.n_declared : realized.n_reconciled
  return `In ${when} Sextant advised ${counted(estimated.n, "call")}. Compared with ${baseline}, it `
    + `${savedOrCost(estimatedUsd)}`
    + ` by its own estimate${isDeclared ? ` on ${counted(estimated.n_declared, "call")}` : ""}; ${
      nBilled === 0
        ? "no bill confirms it"
        : `by the bills, known for ${count(nBilled)}, it ${savedOrCost(billed)}`
    }. Feedback came for ${percent(savings.health.feedback_coverage)} of the calls.`
}
