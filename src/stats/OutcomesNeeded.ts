/* Estimates how many more reported outcomes a guarantee's candidate needs to replace the baseline. */
import { noTrials } from "./TrialScores.ts"
import { favour } from "./GuaranteeReadings.ts"
import { barOf, type CandidateEvidence, type GuaranteeRule } from "./GuaranteeStates.ts"
import { informationOf } from "./VerdictsNeeded.ts"

/** Weight of the prior, which pulls the estimated difference toward 0, in reports. */
const assumedReports = 200
/** Minimum margin by which the candidate's loss of success is below the accepted loss, as a share of it. */
const leftMin = 0.2

/**
 * Computes how many more reports are needed if the success rates stay the same: (missing evidence / expected
 * evidence of one trial) * (share of trials with a report). Returns null if the candidate already replaces
 * the baseline, or if its loss of success is near or above the accepted loss.
 *
 * @param own null for a candidate that has had no trial
 * @param trialShare probability that a trial runs the candidate; 0 if trials run both, which counts as 0.5
 */
export const outcomesNeeded = (
  rule: Pick<GuaranteeRule, "alpha" | "loss">,
  own: CandidateEvidence | null,
  trialShare: number
): number | null => {
  if (own?.state === "held") return null
  const known = own?.state === "withdrawn" ? null : own
  const { baseline, candidate } = known?.arms ?? { baseline: noTrials, candidate: noTrials }
  const rate = (candidate.reports + baseline.reports + 1) / (candidate.trials + baseline.trials + 1)
  const base = (baseline.successes + 1.7) / (baseline.reports + 2)
  const seen = candidate.reports === 0 ? 0 : candidate.successes / candidate.reports - base
  const left = rule.loss + seen * candidate.reports / (candidate.reports + assumedReports)
  if (left < leftMin * rule.loss) return null
  const quantity = rate * base
  const drawn = trialShare === 0 ? 0.5 : trialShare
  const variance = quantity * (1 - quantity) * (1 / drawn + 1 / (1 - drawn))
  const reached = known === null ? 0 : favour(known)
  const remaining = Math.max(0, barOf(rule.alpha, own?.start ?? 1) - reached)
  return Math.ceil(remaining / informationOf(rate * left, variance) * rate)
}
