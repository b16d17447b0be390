/* Reads the evidence about a candidate of a guarantee, for choices and answers. */
import { evidence } from "./Betting.ts"
import type { CandidateEvidence } from "./GuaranteeStates.ts"
import type { TrialSums } from "./TrialScores.ts"

/** True after `trialsMin` trials each if the candidate succeeds at most 2 · `loss` less than the baseline. */
export const isPromising = (
  { arms: { baseline, candidate } }: CandidateEvidence,
  loss: number,
  trialsMin: number
): boolean =>
  candidate.trials >= trialsMin && baseline.trials >= trialsMin
  && candidate.successes / candidate.trials >= baseline.successes / baseline.trials - 2 * loss

/** True if the evidence that the candidate loses too much has reached `doubt`, a logarithm of capital. */
export const isInDoubt = ({ against }: CandidateEvidence, doubt: number): boolean =>
  Math.max(...against.map(evidence)) >= doubt

/** The evidence in favour of a candidate, a logarithm of capital, or below 0 if against it. */
export const favour = ({ rungs }: CandidateEvidence): number => Math.min(...rungs[0]!.capital.map(evidence))

/** True if the candidate replaced the baseline, was withdrawn, and has not started again. */
export const isWithdrawn = ({ state, wasHeld }: CandidateEvidence): boolean =>
  state === "withdrawn" && wasHeld

export const reportsOf = ({ arms }: CandidateEvidence): number =>
  arms.candidate.reports + arms.baseline.reports

const share = ({ reports, successes }: TrialSums): number | null =>
  reports === 0 ? null : successes / reports

/** The success rates of candidate and baseline in reported trials; null for a model without reports. */
export const successesOf = ({ arms }: CandidateEvidence) =>
  ({ candidate: share(arms.candidate), baseline: share(arms.baseline) })
