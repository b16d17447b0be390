/* The sentences at the top of the page: the saving, and the limits of its figures. */
import type { Answers, Slice } from "./Answers.ts"
import { count, counted, money, percent, pointsOr } from "./Figures.ts"
import { comparedOf, comparisonGrounds, comparisonSentence, signedPoints } from "./Quality.ts"
import { followedCounts } from "./Reconciliation.ts"
import { followedSentence, type HeadlineFigure, savedSentences, tierFigure, tiersOf } from "./SavingTiers.ts"
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

/** What the calls were estimated to cost: no saving, since nothing of it is checked. */
const estimatedCost = ({ savings }: Answers): HeadlineFigure => {
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

/** What was billed, of whatever calls, and which bills no saving counts. */
const billed = ({ savings }: Answers): HeadlineFigure => {
  const { cost_outliers_usd: outliersUsd = 0, n_cost_outliers: nOutliers = 0, realized } = savings.summary
  return {
    title: "Billed cost",
    figure: realized.n_reconciled === 0 ? "not known" : money(realized.realized_cost_usd),
    sentences: [
      realized.n_reconciled === 0
        ? "No feedback carried a cost (actual_cost_usd)."
        : `${counted(realized.n_reconciled, "request")} had a bill.`,
      ...(nOutliers === 0 ? [] : [
        `No saving counts ${counted(nOutliers, "bill")} of ${money(outliersUsd)} in all: each is more than 50`
        + " times the highest estimate of its request, and no other bill confirms it."
      ])
    ]
  }
}

const unknownSaving: HeadlineFigure = {
  title: "Saving",
  figure: "not known",
  sentences: [
    "No request followed the advice, named the model you would otherwise use (baseline_model_id), and had a"
    + " bill or token counts."
  ]
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
  const flags = calibration.drift_flags
  const drifting = flags.filter(({ left_at: left }) => left == null).length
  return {
    title: "Predictions",
    figure: `${percent(means.predicted)} predicted, ${percent(means.realized)} succeeded`,
    sentences: [
      `They are off by ${pointsOr(global.ece)} on average, on ${counted(global.n, "outcome")}.`
      + (global.n < outcomesFew ? " With so few outcomes that is uncertain." : ""),
      flags.length === 0
        ? "No model repeatedly misses its predictions."
        : drifting === 0
        ? "What repeatedly missed them was left: see Drift."
        : `${counted(drifting, "model")} repeatedly ${drifting === 1 ? "misses" : "miss"} them: see Drift.`
    ]
  }
}

const quality = (answers: Answers): HeadlineFigure => {
  const compared = comparedOf(answers.savings.comparison)
  return {
    title: "Success against your own model",
    figure: compared === null ? "not compared yet" : signedPoints(compared.difference),
    sentences: comparisonGrounds(answers)
  }
}

/** The figures at the top of the page, the savings first. */
export const headlineFigures = (answers: Answers): ReadonlyArray<HeadlineFigure> => {
  const { summary } = answers.savings
  const tiers = tiersOf(summary)
  const counts = followedCounts(summary)
  return [
    ...(tiers.length === 0 ? [unknownSaving] : tiers.map(tierFigure)),
    ...(counts === null ? [] : [counts]),
    ...[quality, billed, estimatedCost, feedbackReceived, predictionQuality].map((figure) => figure(answers))
  ]
}

/** The page in a few sentences. */
export const verdict = ({ savings }: Pick<Answers, "savings">): string => {
  const { estimated } = savings.summary
  const when = savings.days === 1 ? "the last 24 hours" : `the last ${count(savings.days)} days`
  return `In ${when} Sextant advised ${counted(estimated.n, "call")}. ${savedSentences(savings.summary)}`
    + ` ${comparisonSentence({ savings })}`
    + ` Feedback came for ${percent(savings.health.feedback_coverage)} of the calls.`
    + followedSentence(savings.summary)
}
