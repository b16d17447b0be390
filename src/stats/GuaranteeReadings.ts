/* What the evidence about a candidate of a guarantee says, as choices and answers read it. */
import type { Arms } from "./ArmContrast.ts"
import { evidence } from "./Betting.ts"
import type { CandidateEvidence } from "./GuaranteeStates.ts"

/**
 * Whether both models have enough trials and the candidate's success rate is at most twice the loss below the
 * baseline's. Trials of the candidate then cost little, whatever its share.
 */
export const isPromising = (
  { arms: { baseline, candidate } }: CandidateEvidence,
  loss: number,
  trialsMin: number
): boolean =>
  candidate.trials >= trialsMin && baseline.trials >= trialsMin
  && candidate.successes / candidate.trials >= baseline.successes / baseline.trials - 2 * loss

/** Whether a detector's evidence against a candidate has reached `doubt`, a logarithm of capital. */
export const isInDoubt = ({ against }: CandidateEvidence, doubt: number): boolean =>
  Math.max(...against.map(evidence)) >= doubt

/** How far the evidence is, in logarithms of capital: negative where it speaks against the candidate. */
export const favour = ({ rungs }: CandidateEvidence): number => Math.min(...rungs[0]!.capital.map(evidence))

/** Whether a candidate was held and then withdrawn, and has not started again. */
export const isWithdrawn = ({ state, wasHeld }: CandidateEvidence): boolean =>
  state === "withdrawn" && wasHeld

/** Reports of both models in trials of a candidate, count. */
export const reportsOf = ({ arms }: CandidateEvidence): number =>
  arms.candidate.reports + arms.baseline.reports

const share = ({ reports, successes }: Arms["candidate"]): number | null =>
  reports === 0 ? null : successes / reports

/** Success of candidate and baseline among reports of their trials; null without any. */
export const successesOf = ({ arms }: CandidateEvidence) =>
  ({ candidate: share(arms.candidate), baseline: share(arms.baseline) })
