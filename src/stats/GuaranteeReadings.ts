/* Reads the evidence about a candidate of a guarantee, for choices and answers. */
import { evidence } from "./Betting.ts"
import type { CandidateEvidence } from "./GuaranteeStates.ts"
import type { TrialSums } from "./TrialScores.ts"

/**
 * Returns true if both models have enough trials, and the candidate's success rate is at most twice the loss
 * below the baseline's. Trials of such a candidate cost little success.
 */
export const isPromising = (
  { arms: { baseline, candidate } }: CandidateEvidence,
  loss: number,
  trialsMin: number
): boolean =>
  candidate.trials >= trialsMin && baseline.trials >= trialsMin
  && candidate.successes / candidate.trials >= baseline.successes / baseline.trials - 2 * loss

/** Returns true if a detector's evidence against a candidate has reached `doubt`, a logarithm of capital. */
export const isInDoubt = ({ against }: CandidateEvidence, doubt: number): boolean =>
  Math.max(...against.map(evidence)) >= doubt

/**
 * Computes the evidence in favour of the candidate, a logarithm of capital; the evidence is negative if it is
 * against the candidate.
 */
export const favour = ({ rungs }: CandidateEvidence): number => Math.min(...rungs[0]!.capital.map(evidence))

/** Returns true if a candidate was held and then withdrawn, and has not started again. */
export const isWithdrawn = ({ state, wasHeld }: CandidateEvidence): boolean =>
  state === "withdrawn" && wasHeld

/** Counts the reports of both models in trials of a candidate. */
export const reportsOf = ({ arms }: CandidateEvidence): number =>
  arms.candidate.reports + arms.baseline.reports

const share = ({ reports, successes }: TrialSums): number | null =>
  reports === 0 ? null : successes / reports

/**
 * Computes the success rates of candidate and baseline among reported trials; null if there are no reports.
 */
export const successesOf = ({ arms }: CandidateEvidence) =>
  ({ candidate: share(arms.candidate), baseline: share(arms.baseline) })
