/*
 * Compares a candidate with a baseline by trials: one score for each trial. Its expectation is the difference
 * of two quantities that a trial shows of the model that ran.
 *
 * What a caller does not report is part of the outcome: of the model that was to run, a trial shows
 * `reported · success` and `reported · failure`, which are 0 without a report. A candidate whose failures are
 * not reported thus has fewer successes, and one whose successes are not has more failures for each report.
 */

/**
 * Counts and sums over trials of one model: those that were to run it, reports of it, and their successes.
 */
interface TrialSums {
  readonly trials: number
  readonly reports: number
  readonly successes: number
}

export const noTrials: TrialSums = { trials: 0, reports: 0, successes: 0 }

/** One trial: what each model came to where it was to run, in [0, 1], and null without a report of it. */
export interface Trial {
  /** Probability that the candidate was to run, in (0, 1); 1 where both were to. */
  readonly share: number
  readonly ran: "candidate" | "baseline" | "both"
  readonly candidate: number | null
  readonly baseline: number | null
}

/** A score, and the lowest and the highest that this trial could have had. */
export interface Score {
  readonly value: number
  readonly lowest: number
  readonly highest: number
}

export const withTrial = (arm: TrialSums, success: number | null): TrialSums => ({
  trials: arm.trials + 1,
  reports: arm.reports + (success === null ? 0 : 1),
  successes: arm.successes + (success ?? 0)
})

/** What is compared of the two models, and how far the baseline's own is moved where it is reported. */
interface ContrastScale {
  /** What a report of this success comes to: the success, or the failure. */
  readonly of: (success: number) => number
  readonly moved: number
}

/** A quantity of one model: its expectation as trials before this one say, its range, and its value here. */
interface Quantity {
  readonly expected: number
  readonly low: number
  readonly high: number
  readonly value: number
}

/**
 * Trials that a model's expectation starts from the other's with, count. Any number keeps the score honest.
 */
const priorTrials = 4

/** Mean of the quantity over earlier trials. */
const meanOf = (
  { moved, of }: ContrastScale,
  { reports, successes, trials }: TrialSums,
  prior: number
): number => {
  // `of` is linear, so the sum of a quantity follows from the sums.
  const sum = reports * (of(0) + moved) + successes * (of(1) - of(0))
  return (sum + priorTrials * prior) / (trials + priorTrials)
}

const quantity = (compared: ContrastScale, expected: number, success: number | null): Quantity => ({
  expected,
  low: Math.min(0, compared.moved),
  high: 1 + Math.max(0, compared.moved),
  value: success === null ? 0 : compared.of(success) + compared.moved
})

/**
 * Candidate less baseline, doubly robust: expectations from earlier trials, corrected by what this one shows
 * over the probability that it would (Waudby-Smith, Wu, Ramdas, Karampatziakis and Mineiro, "Anytime-valid
 * off-policy inference for contextual bandits", ACM/IMS Journal of Data Science 1, 2024). Unbiased whatever
 * the expectations are, because they were there before the draw.
 */
const contrast = (candidate: Quantity, baseline: Quantity, { ran, share }: Trial): Score => {
  if (ran === "both") {
    return {
      value: candidate.value - baseline.value,
      lowest: candidate.low - baseline.high,
      highest: candidate.high - baseline.low
    }
  }
  const expected = candidate.expected - baseline.expected
  const ofCandidate = (value: number) => expected + (value - candidate.expected) / share
  const ofBaseline = (value: number) => expected - (value - baseline.expected) / (1 - share)
  return {
    value: ran === "candidate" ? ofCandidate(candidate.value) : ofBaseline(baseline.value),
    lowest: Math.min(ofCandidate(candidate.low), ofBaseline(baseline.high)),
    highest: Math.max(ofCandidate(candidate.high), ofBaseline(baseline.low))
  }
}

const negated = ({ highest, lowest, value }: Score): Score =>
  ({ value: -value, lowest: -highest, highest: -lowest })

/** Expectation of a model that no trial has run yet. */
const unknown = 0.5

const compare = (compared: ContrastScale, sums: Arms, trial: Trial): Score => {
  const ofCandidate = { ...compared, moved: 0 }
  const baseline = meanOf(compared, sums.baseline, unknown)
  const candidate = meanOf(ofCandidate, sums.candidate, baseline - compared.moved)
  return contrast(
    quantity(ofCandidate, candidate, trial.candidate), quantity(compared, baseline, trial.baseline), trial
  )
}

/** The sums of both models over the trials before. */
export interface Arms {
  readonly candidate: TrialSums
  readonly baseline: TrialSums
}

/**
 * Two scores whose expectations are both above 0 where the candidate's success is within `loss` of the
 * baseline's: by the successes, and by the failures. Where equally much is reported of both, they say the
 * same. Where less is reported of the candidate, the first is the stricter one; where more is, the second.
 */
export const scoresWithin = (loss: number, sums: Arms, trial: Trial): readonly [Score, Score] => [
  compare({ of: (success) => success, moved: -loss }, sums, trial),
  negated(compare({ of: (success) => 1 - success, moved: loss }, sums, trial))
]
