/*
 * Scores of trials, whose expectation is the difference between candidate and baseline, moved by the accepted
 * loss.
 *
 * A missing report is a part of the outcome: both `reported · success` and `reported · failure` are then 0.
 * So a candidate with unreported failures has fewer successes, and a candidate with unreported successes has
 * more failures per report.
 */

/** For one model: number of trials, number of their reports, and sum of the reported successes. */
export interface TrialSums {
  readonly trials: number
  readonly reports: number
  readonly successes: number
}

export const noTrials: TrialSums = { trials: 0, reports: 0, successes: 0 }

/** The success of each model that was to run, in [0, 1]; null if no report arrived. */
export interface Trial {
  /** Probability that the candidate was to run, in (0, 1); 1 if both models were. */
  readonly share: number
  readonly ran: "candidate" | "baseline" | "both"
  readonly candidate: number | null
  readonly baseline: number | null
}

/** A score, with the lowest and the highest score that the trial could have had. */
interface Score {
  readonly value: number
  readonly lowest: number
  readonly highest: number
}

export const withTrial = (sums: TrialSums, success: number | null): TrialSums => ({
  trials: sums.trials + 1,
  reports: sums.reports + (success === null ? 0 : 1),
  successes: sums.successes + (success ?? 0)
})

interface Measure {
  /** Computes the scored quantity from a success: the success itself, or for failures 1 - success. */
  readonly of: (success: number) => number
  /** Added to each reported value of the baseline: -loss if successes are scored, +loss if failures are. */
  readonly moved: number
}

/** A measured quantity of one model in a trial: its earlier expectation, its range, and its value. */
interface Quantity {
  readonly expected: number
  readonly low: number
  readonly high: number
  readonly value: number
}

/** Weight of a model's prior expectation, trials. The score is unbiased with any weight. */
const priorTrials = 4

const meanOf = (
  { moved, of }: Measure,
  { reports, successes, trials }: TrialSums,
  prior: number
): number => {
  // `measure.of` is linear in the success, so the sums of reports and successes are enough.
  const sum = reports * (of(0) + moved) + successes * (of(1) - of(0))
  return (sum + priorTrials * prior) / (trials + priorTrials)
}

const quantity = (measure: Measure, expected: number, success: number | null): Quantity => ({
  expected,
  low: Math.min(0, measure.moved),
  high: 1 + Math.max(0, measure.moved),
  value: success === null ? 0 : measure.of(success) + measure.moved
})

/**
 * Computes the doubly robust difference, candidate minus baseline. The score is unbiased for any
 * expectations, because they are fixed before the draw.
 *
 * @see Waudby-Smith et al., "Anytime-valid off-policy inference for contextual bandits" (2024)
 */
const difference = (candidate: Quantity, baseline: Quantity, { ran, share }: Trial): Score => {
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

/** The assumed success of a baseline before its first trial. */
const unknown = 0.5

const scoreOf = (measure: Measure, sums: ComparedSums, trial: Trial): Score => {
  const ofCandidate = { ...measure, moved: 0 }
  const baseline = meanOf(measure, sums.baseline, unknown)
  const candidate = meanOf(ofCandidate, sums.candidate, baseline - measure.moved)
  return difference(
    quantity(ofCandidate, candidate, trial.candidate), quantity(measure, baseline, trial.baseline), trial
  )
}

export interface ComparedSums {
  readonly candidate: TrialSums
  readonly baseline: TrialSums
}

/**
 * Computes two scores of a trial, by successes and by failures. If both models are reported equally often,
 * both scores have expectations above 0 while the candidate's success is less than `loss` below the
 * baseline's. If the candidate is reported less than the baseline, the score by successes is the lower one.
 */
export const scoresWithin = (loss: number, sums: ComparedSums, trial: Trial): readonly [Score, Score] => [
  scoreOf({ of: (success) => success, moved: -loss }, sums, trial),
  negated(scoreOf({ of: (success) => 1 - success, moved: loss }, sums, trial))
]
