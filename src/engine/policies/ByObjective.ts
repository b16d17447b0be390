/**
 * Policy: picks the cheapest, the fastest or the most valuable candidate that reaches the threshold. If no
 * candidate reaches the threshold, picks the candidate with the highest predicted success.
 */
import * as Beta from "../../stats/Beta.ts"
import type { CostedCandidate, Scored } from "../recommend/candidates/Candidate.ts"
import { eligibleAt, moreReliable, pickAt } from "../recommend/choice/DecisionRule.ts"
import { objectiveOf } from "../recommend/choice/Objective.ts"
import { scored } from "../recommend/choice/Ranking.ts"
import {
  changeOf, thresholdMerit, thresholdShortfall, valueMerit, valueShortfall
} from "./ObjectiveWords.ts"
import { optimistic } from "../recommend/choice/Optimism.ts"
import type { PolicyMaker } from "./Policy.ts"

const withInterval = (candidate: CostedCandidate): CostedCandidate => {
  const { high, low } = Beta.interval95(Beta.ofMean(candidate.predictedSuccess, candidate.sampleSize))
  return { ...candidate, successLow: low, successHigh: high }
}

export const byObjective: PolicyMaker = ({ settings }) => (choice) => {
  const { candidates, criteria } = choice
  const { slider, threshold } = criteria
  const { objective, warnings } = objectiveOf(settings, criteria, candidates)
  const predicted = optimistic(objective, candidates, threshold).map((each, i) =>
    each === candidates[i] ? each : withInterval(each))
  const ranked = scored(settings, objective, predicted, slider)
    .sort((a, b) => b.score - a.score || moreReliable(a, b))
  const eligible = eligibleAt(ranked, threshold)
  // At least one candidate remains, because a limit that would exclude all candidates is relaxed.
  const pick = pickAt(objective, ranked, threshold) as Scored
  const { valueUsd } = objective
  return {
    ...choice,
    objective,
    ranked,
    eligible,
    allowed: ranked,
    pick,
    deterministic: pick,
    isReaching: eligible.length > 0,
    warnings: [...choice.warnings, ...warnings],
    words: {
      ...choice.words,
      merit: (final) => valueUsd === null ? thresholdMerit(final) : valueMerit(final, valueUsd),
      shortfall: valueUsd === null ? thresholdShortfall : valueShortfall,
      change: changeOf(settings)
    }
  }
}
