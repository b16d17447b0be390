/*
 * The statistics of an audition: which model is asked next, when the order is clear, and intervals.
 *
 * Every model takes the prompts in one shuffled order, so that two models are compared on the same prompts,
 * and a model's outcomes are a sequence that no choice can change: choices only say how long it gets.
 * Intervals that hold at all lengths at once therefore hold at whatever length the race ends.
 */
import { type Beta, mean, variance } from "../../../src/stats/Beta.ts"
import { logBeta } from "../../../src/stats/IncompleteBeta.ts"
import { normalBelow } from "../../../src/stats/Normal.ts"

/** Sums of a model's graded calls, and how far it is in the order of prompts. */
export interface Contender {
  readonly successes: number
  readonly failures: number
  /** Sums over graded calls of what a call costs a caller, and of its square, USD. */
  readonly costUsd: number
  readonly costSquares: number
  /** What the next call is expected to cost the audition, the grading included, USD > 0. */
  readonly nextUsd: number
  /** Prompts begun: graded, left out or under way, count. */
  readonly begun: number
  /** Calls of them that are under way, count. */
  readonly underWay: number
  /** Whether it can be asked: prompts are left, the budget has room for its next call, and it answers. */
  readonly isOpen: boolean
}

interface Interval {
  readonly low: number
  readonly high: number
}

/** Error that all intervals of a sequence have together, share. */
const alpha = 0.05

const trialsOf = ({ failures, successes }: Pick<Contender, "failures" | "successes">): number =>
  successes + failures

/**
 * A 95 % confidence sequence of a success rate: it holds for all numbers of trials at once. A rate is inside
 * while the bets of a uniform mixture against it have not multiplied their stake by 1/α (Robbins, 1970;
 * Ville's inequality).
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

/** Number of observations for which {@link costInterval} is narrowest, count. Chosen. */
const narrowestAt = 50
const tightness = (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / narrowestAt

/**
 * An asymptotic 95 % confidence sequence of a mean cost, USD; null under two observations (Waudby-Smith and
 * others, "Time-uniform central limit theory and asymptotic confidence sequences", 2024, the normal mixture).
 */
export const costInterval = (sum: number, squares: number, count: number): Interval | null => {
  if (count < 2) return null
  const average = sum / count
  const ofCost = Math.max(0, (squares - count * average * average) / (count - 1))
  const scaled = count * tightness + 1
  const half = Math.sqrt(ofCost * scaled / (count * count * tightness) * Math.log(scaled / (alpha * alpha)))
  return { low: Math.max(0, average - half), high: average + half }
}

/** Mean cost of a call, USD, and the variance of that mean; as expected before the first. */
const costOf = (contender: Contender): { readonly mean: number; readonly variance: number } => {
  const trials = trialsOf(contender)
  if (trials === 0) return { mean: contender.nextUsd, variance: contender.nextUsd ** 2 }
  const average = contender.costUsd / trials
  return { mean: average, variance: Math.max(0, contender.costSquares / trials - average * average) / trials }
}

/**
 * What a model is worth by what is known of it: p·V − cost in USD, with its variance. Without a value the
 * success alone; costs then decide between equals, which {@link standing} does.
 */
const worthOf = (contender: Contender, valueUsd: number | null) => {
  const posterior: Beta = { alpha: contender.successes + 1, beta: contender.failures + 1 }
  const success = mean(posterior)
  const ofSuccess = variance(posterior)
  if (valueUsd === null) return { mean: success, variance: ofSuccess }
  const cost = costOf(contender)
  return { mean: success * valueUsd - cost.mean, variance: valueUsd ** 2 * ofSuccess + cost.variance }
}

/** How far a model is behind another, in standard deviations of the difference; below 0 where it is ahead. */
const behind = (one: Contender, other: Contender, valueUsd: number | null): number => {
  const [its, others] = [worthOf(one, valueUsd), worthOf(other, valueUsd)]
  const difference = others.mean - its.mean
  return difference === 0 ? 0 : difference / Math.sqrt(its.variance + others.variance)
}

export interface Standing {
  /** Place of the model that is worth most by its means; of equals the one that costs least. */
  readonly leader: number
  /**
   * The chance that no other is worth more, with posteriors taken as normal: the product over the others, as
   * if each were compared with another draw of the leader. It is at least that (Slepian's inequality).
   */
  readonly chance: number
}

/** Who leads, and how surely; null before the first graded call. */
export const standing = (contenders: ReadonlyArray<Contender>, valueUsd: number | null): Standing | null => {
  const graded = contenders.flatMap((each, place) =>
    trialsOf(each) === 0 ? [] : [{ each, place, worth: worthOf(each, valueUsd).mean }])
  const [leader, ...others] = graded.toSorted((one, other) =>
    other.worth - one.worth || costOf(one.each).mean - costOf(other.each).mean)
  if (leader === undefined) return null
  const chance = others.reduce((all, { each }) => all * normalBelow(behind(each, leader.each, valueUsd)), 1)
  return { leader: leader.place, chance }
}

/** The place with the highest number; undefined of none. */
const highest = (
  places: ReadonlyArray<number>,
  numberOf: (place: number) => number
): number | undefined =>
  places.map((place) => ({ place, number: numberOf(place) }))
    .toSorted((one, other) => other.number - one.number)[0]?.place

/** By how much one more call narrows what a model is worth, as a variance for each USD that it costs. */
const toldPerUsd = (contender: Contender, valueUsd: number | null): number => {
  const known = trialsOf(contender) + 2
  const soon = known + contender.underWay
  return worthOf(contender, valueUsd).variance * known / (soon * (soon + 1)) / contender.nextUsd
}

/**
 * The model that takes its next prompt; null where none can. First each takes some prompts. Then it is the
 * leader or its rival, whichever's next call tells more for its price. The rival is the model that is least
 * surely behind, where few prompts count in favour, so that an unlucky beginning is not the end.
 *
 * @see Jourdan and others, "Top Two Algorithms Revisited" (2022): EB-TCI, which adds the whole logarithm
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
  // A closed model that was never graded has no rank, and no call of the leader could give it one.
  const rivals = contenders.flatMap((each, place) =>
    place !== leader && (isOpen(place) || isOpen(leader) && trialsOf(each) > 0) ? [place] : [])
  const rival = highest(rivals, (place) => {
    const sureness = Math.max(0, behind(contenders[place]!, contenders[leader]!, valueUsd))
    return -(sureness ** 2) / 2 - Math.log(contenders[place]!.begun) / 2
  }) ?? leader
  return highest([leader, rival].filter(isOpen), (place) => toldPerUsd(contenders[place]!, valueUsd)) ?? null
}
