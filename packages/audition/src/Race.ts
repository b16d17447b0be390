/*
 * The statistics of an audition: the next model to ask, the chance that a model is best, and intervals.
 *
 * Every model takes the prompts in the same shuffled order, so that models are compared on the same prompts.
 * The choice of the next model changes only the length of a model's sequence of outcomes. The intervals hold
 * at all lengths at once, and so they hold when the race ends.
 */
import { type Beta, mean, variance } from "../../../src/stats/Beta.ts"
import { logBeta } from "../../../src/stats/IncompleteBeta.ts"
import { normalBelow } from "../../../src/stats/Normal.ts"

/** A model in the race: the sums of its graded calls, and its progress in the order of prompts. */
export interface Contender {
  readonly successes: number
  readonly failures: number
  /** Sum of the costs of the model's graded answers, USD, without the cost of grading. */
  readonly costUsd: number
  readonly costSquares: number
  /** Expected cost of the model's next call, including its grading, USD > 0. */
  readonly nextUsd: number
  /** Number of prompts that the model has begun. */
  readonly begun: number
  /** Calls under way, count. */
  readonly underWay: number
  /** False if the model's last calls all had no grade, or its next call has no prompt or no budget. */
  readonly isOpen: boolean
}

interface Interval {
  readonly low: number
  readonly high: number
}

/** Maximum chance that any interval of a confidence sequence is wrong, share. */
const alpha = 0.05

const trialsOf = ({ failures, successes }: Pick<Contender, "failures" | "successes">): number =>
  successes + failures

/**
 * A 95 % confidence sequence of a success rate, which holds for all numbers of trials at once. A rate is in
 * the interval while a uniform mixture of bets against the rate has multiplied its stake by less than 1/α
 * (Robbins, 1970; Ville's inequality).
 */
export const successInterval = (successes: number, trials: number): Interval => {
  if (trials === 0) return { low: 0, high: 1 }
  const failures = trials - successes
  const mixture = logBeta(successes + 1, failures + 1)
  const isInside = (rate: number): boolean =>
    mixture - (successes === 0 ? 0 : successes * Math.log(rate))
      - (failures === 0 ? 0 : failures * Math.log1p(-rate)) < -Math.log(alpha)
  const rate = successes / trials
  const edge = (end: number): number => {
    let [inside, outside] = [rate, end]
    if (rate === end) return end
    for (let step = 0; step < 40; step++) {
      const middle = (inside + outside) / 2
      if (isInside(middle)) inside = middle
      else outside = middle
    }
    return outside
  }
  return { low: edge(0), high: edge(1) }
}

/** Number of observations for which the formula of a cost's interval is tuned to be tightest. Chosen. */
const narrowestAt = 50
const tightness = (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / narrowestAt

/**
 * An asymptotic 95 % confidence sequence of a mean cost, USD; null for fewer than two costs. The formula is
 * the normal mixture of Waudby-Smith and others, "Time-uniform central limit theory and asymptotic
 * confidence sequences" (2024).
 */
export const costInterval = (sum: number, squares: number, count: number): Interval | null => {
  if (count < 2) return null
  const average = sum / count
  const ofCost = Math.max(0, (squares - count * average * average) / (count - 1))
  const scaled = count * tightness + 1
  const half = Math.sqrt(ofCost * scaled / (count * count * tightness) * Math.log(scaled / (alpha * alpha)))
  return { low: Math.max(0, average - half), high: average + half }
}

/** Mean cost of a model's graded answers, USD, and the mean's variance; before the first, an expectation. */
const costOf = (contender: Contender): { readonly mean: number; readonly variance: number } => {
  const trials = trialsOf(contender)
  if (trials === 0) return { mean: contender.nextUsd, variance: contender.nextUsd ** 2 }
  const average = contender.costUsd / trials
  return { mean: average, variance: Math.max(0, contender.costSquares / trials - average * average) / trials }
}

/**
 * The mean and the variance of a model's worth, which is success × value − cost in USD. If the value of a
 * success is null, a model's worth is its success rate.
 */
const worthOf = (contender: Contender, valueUsd: number | null) => {
  const posterior: Beta = { alpha: contender.successes + 1, beta: contender.failures + 1 }
  const success = mean(posterior)
  const ofSuccess = variance(posterior)
  if (valueUsd === null) return { mean: success, variance: ofSuccess }
  const cost = costOf(contender)
  return { mean: success * valueUsd - cost.mean, variance: valueUsd ** 2 * ofSuccess + cost.variance }
}

/** The worth of `other` minus the worth of `one`, divided by the standard deviation of this difference. */
const behind = (one: Contender, other: Contender, valueUsd: number | null): number => {
  const [its, others] = [worthOf(one, valueUsd), worthOf(other, valueUsd)]
  const difference = others.mean - its.mean
  return difference === 0 ? 0 : difference / Math.sqrt(its.variance + others.variance)
}

export interface Standing {
  /** Index of the model with the highest worth; the cheapest of several such models. */
  readonly leader: number
  /**
   * Lower bound on the chance that no graded model is worth more than the leader: the product of the leader's
   * chances against each other graded model, with normal posteriors (Slepian's inequality).
   */
  readonly chance: number
}

/** The leader and its chance of being best; null before the first graded call. */
export const standing = (contenders: ReadonlyArray<Contender>, valueUsd: number | null): Standing | null => {
  const graded = contenders.flatMap((each, place) =>
    trialsOf(each) === 0 ? [] : [{ each, place, worth: worthOf(each, valueUsd).mean }])
  const [leader, ...others] = graded.toSorted((one, other) =>
    other.worth - one.worth || costOf(one.each).mean - costOf(other.each).mean)
  if (leader === undefined) return null
  const chance = others.reduce((all, { each }) => all * normalBelow(behind(each, leader.each, valueUsd)), 1)
  return { leader: leader.place, chance }
}

const highest = (
  places: ReadonlyArray<number>,
  numberOf: (place: number) => number
): number | undefined =>
  places.map((place) => ({ place, number: numberOf(place) }))
    .toSorted((one, other) => other.number - one.number)[0]?.place

/** How much one more call reduces the variance of a model's worth, per USD that the call costs. */
const toldPerUsd = (contender: Contender, valueUsd: number | null): number => {
  const known = trialsOf(contender) + 2
  const soon = known + contender.underWay
  return worthOf(contender, valueUsd).variance * known / (soon * (soon + 1)) / contender.nextUsd
}

/**
 * Returns the index of the model to ask next; null if no model can be asked. Each model first gets
 * `firstPrompts` prompts. After the first prompts of all models, the leader or its rival is asked, whichever
 * call removes more variance per USD. The rival is the model that is least certainly worse than the leader,
 * with a bonus for a model that was asked less.
 *
 * @see Jourdan and others, "Top Two Algorithms Revisited" (2022): EB-TCI, but with half its logarithmic term
 */
export const nextContender = (
  contenders: ReadonlyArray<Contender>,
  { firstPrompts, valueUsd }: { readonly firstPrompts: number; readonly valueUsd: number | null }
): number | null => {
  const open = contenders.flatMap((each, place) => each.isOpen ? [place] : [])
  const fewest = highest(open, (place) => -contenders[place]!.begun)
  if (fewest === undefined || contenders[fewest]!.begun < firstPrompts) return fewest ?? null
  const leader = standing(contenders, valueUsd)?.leader
  if (leader === undefined) return fewest
  const isOpen = (place: number): boolean => contenders[place]!.isOpen
  // A graded model that cannot be asked again stays a rival while the leader can be asked.
  const rivals = contenders.flatMap((each, place) =>
    place !== leader && (isOpen(place) || isOpen(leader) && trialsOf(each) > 0) ? [place] : [])
  const rival = highest(rivals, (place) => {
    const sureness = Math.max(0, behind(contenders[place]!, contenders[leader]!, valueUsd))
    return -(sureness ** 2) / 2 - Math.log(contenders[place]!.begun) / 2
  }) ?? leader
  return highest([leader, rival].filter(isOpen), (place) => toldPerUsd(contenders[place]!, valueUsd)) ?? null
}
