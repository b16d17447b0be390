/* The sentences at the top of the page: what was saved, and how far the figures can be trusted. */
import type { Answers, Slice } from "./Answers.ts"
import { count, counted, money, percent, relative, saving, shareOr } from "./Figures.ts"
import {
  billedSaving, byTheBills, followedSentence, type HeadlineFigure, savedOrCost
} from "./HeadlineBills.ts"
import { outcomesFew } from "./Shortfalls.ts"

interface Means {
  readonly predicted: number
  readonly realized: number
}

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

/**
 * The page in a few sentences; against the model that requests name, or else the most expensive candidate.
 */
export const verdict = ({ savings }: Answers): string => {
  const { estimated } = savings.summary
  const when = savings.days === 1 ? "the last 24 hours" : `the last ${count(savings.days)} days`
  const isDeclared = estimated.n_declared > 0
  const baseline = isDeclared ? "the model you would otherwise use" : "the most expensive candidate"
  const estimatedUsd = isDeclared ? estimated.savings_vs_declared_usd : estimated.savings_vs_premium_usd
  return `In ${when} Sextant advised ${counted(estimated.n, "call")}. Compared with ${baseline}, it `
    + `${savedOrCost(estimatedUsd)}`
    + ` by its own estimate${isDeclared ? ` on ${counted(estimated.n_declared, "call")}` : ""}; ${
      byTheBills(savings.summary)
    }. Feedback came for ${percent(savings.health.feedback_coverage)} of the calls.`
    + followedSentence(savings.summary)
}
