/* Readings of the evidence about a candidate of a guarantee, for choices and answers. */
import { evidence } from "./Betting.ts"
import type { CandidateEvidence } from "./GuaranteeStates.ts"
import type { TrialSums } from "./TrialScores.ts"

/**
 * True if both models have enough trials, and the candidate's success rate is at most twice the loss below
 * the baseline's. Trials of the candidate then cost little.
 */
export const isPromising = (
  { arms: { baseline, candidate } }: CandidateEvidence,
  loss: number,
  trialsMin: number
): boolean =>
  candidate.trials >= trialsMin && baseline.trials >= trialsMin
  && candidate.successes / candidate.trials >= baseline.successes / baseline.trials - 2 * loss

/** True if a detector's evidence against a candidate has reached `doubt`, a logarithm of capital. */
export const isInDoubt = ({ against }: CandidateEvidence, doubt: number): boolean =>
  Math.max(...against.map(evidence)) >= doubt

/** Evidence for the candidate, logarithm of capital; negative if it is against the candidate. */
export const favour = ({ rungs }: CandidateEvidence): number => Math.min(...rungs[0]!.capital.map(evidence))

/** True if a candidate was held and then withdrawn, and has not started again. */
export const isWithdrawn = ({ state, wasHeld }: CandidateEvidence): boolean =>
  state === "withdrawn" && wasHeld

/** Reports of both models in trials of a candidate, count. */
export const reportsOf = ({ arms }: CandidateEvidence): number =>
  arms.candidate.reports + arms.baseline.reports

const share = ({ reports, successes }: TrialSums): number | null =>
  reports === 0 ? null : successes / reports

/** Success rates of candidate and baseline among reported trials; null without reports. */
export const successesOf = ({ arms }: CandidateEvidence) =>
  ({ candidate: share(arms.candidate), baseline: share(arms.baseline) })
