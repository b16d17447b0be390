/* The shortfalls of a window's figures, in sentences. */
import type { Answers } from "./Answers.ts"
import { count, counted, money, percent } from "./Figures.ts"
import { isKnown, type Tier, tiersOf, undecidedWords } from "./SavingTiers.ts"

/** Outcomes below which rates are uncertain, count: their 95 % interval is wider than 35 points. */
export const outcomesFew = 30

const ofTier = (tier: Tier): ReadonlyArray<string> => {
  const { kind, saved } = tier
  const { basis, savings_high_usd: high, savings_low_usd: low } = saved
  if (!isKnown(saved)) {
    return [`${kind.title}: no call that ran the model you would otherwise use has a ${kind.cost}, so it is`
      + " an unchecked estimate."]
  }
  if (low === null || high === null) {
    return [`${kind.title}: some models that you would otherwise use have no ${kind.cost}, so it has no`
      + " interval."]
  }
  const undecided = undecidedWords(tier)
  if (undecided !== "" && (low > 0 || high < 0)) return [`${kind.title}: ${undecided}.`]
  if (high < 0) {
    return [`${kind.title}: the advice cost more than the model you would otherwise use, see the interval.`]
  }
  if (basis === "same_model" || low > 0) return []
  return [`${kind.title}: not enough to tell whether the advice saved anything, its interval includes zero.`]
}

const ofSavings = ({ savings }: Answers): ReadonlyArray<string> => {
  const tiers = tiersOf(savings.summary)
  if (tiers.length === 0) {
    return ["No followed call that named the model you would otherwise use (baseline_model_id) has a bill or"
      + " token counts, so what the advice saved is not known."]
  }
  const isUnbilled = tiers.every(({ kind }) => kind.isListed)
  return [
    ...tiers.flatMap(ofTier),
    ...(isUnbilled ? ["No bill confirms the saving: it is at list prices."] : [])
  ]
}

const ofFeedback = ({ savings }: Answers): ReadonlyArray<string> => {
  const { feedback_coverage: coverage, recommendations } = savings.health
  if (recommendations === 0 || coverage >= 1) return []
  return [`Feedback came for ${percent(coverage)} of ${counted(recommendations, "call")}: the outcomes of the`
    + " others are not known, and may differ."]
}

const ofBaselines = ({ savings }: Answers): ReadonlyArray<string> => {
  const { n, n_declared: declared } = savings.summary.estimated
  return n - declared <= 0 ? [] : [`${count(n - declared)} of ${counted(n, "call")} did not name the model`
    + " you would otherwise use, so no saving counts them."]
}

const ofOutliers = ({ savings }: Answers): ReadonlyArray<string> => {
  const { cost_outliers_usd: usd = 0, n_cost_outliers: n = 0 } = savings.summary
  const are = n === 1 ? "is" : "are"
  return n === 0 ? [] : [`${counted(n, "bill")} of ${money(usd)} in all ${are} left out: each is`
    + " more than 50 times the highest estimate of its request, and no other bill confirms it."]
}

const ofOutcomes = ({ calibration }: Answers): ReadonlyArray<string> => {
  const n = calibration.reports[0]?.n ?? 0
  if (n === 0) return ["No outcome can be compared with a prediction yet."]
  return n < outcomesFew ? [`With ${counted(n, "outcome")} every rate is uncertain: read the intervals.`] : []
}

const ofPolicies = ({ policyValue: { report } }: Answers): ReadonlyArray<string> => {
  if (report.n_trusted === 0) {
    return ["No outcome was verified by a check or a person: policies cannot be compared."]
  }
  return report.stochastic_share === 0
    ? ["No pick was drawn at random: choices that are not in the log are known by prediction only."]
    : []
}

const ofDrift = ({ calibration }: Answers): ReadonlyArray<string> => {
  const flags = calibration.drift_flags.filter(({ left_at: left }) => left == null)
  const miss = flags.length === 1 ? "misses" : "miss"
  return flags.length === 0 ? [] : [`${counted(flags.length, "model")} repeatedly ${miss} the predictions on`
    + " a kind of task: see Drift."]
}

/** What is not known, not enough or left out, the bills first; empty where nothing falls short. */
export const shortfallsOf = (answers: Answers): ReadonlyArray<string> =>
  [ofSavings, ofFeedback, ofBaselines, ofOutliers, ofOutcomes, ofPolicies, ofDrift]
    .flatMap((each) => each(answers))
