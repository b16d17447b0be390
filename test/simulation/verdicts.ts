/* Worlds of two models: what a ledger holds of them, how many more verdicts are named, and how many it takes. */
import { type Beta, mean, prior } from "../../src/stats/Beta.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { sigmoid } from "../../src/stats/Logit.ts"
import { normalBelow } from "../../src/stats/Normal.ts"
import { beliefOf, type Round, type TellRule, tellRule, verdictsNeeded } from "../../src/stats/VerdictsNeeded.ts"

/** Verdicts of each model so far, and the spread of models around the mean of their kind of task, logit. */
export interface VerdictWorldOptions {
  readonly round: Round
  readonly counts: readonly [number, number]
  readonly spread: number
  readonly seed: number
  readonly rule?: TellRule
}

/** The results of a world; counts are rounds. */
export interface VerdictWorld {
  readonly named: number
  /** Rounds until told, each of several times that it goes on. */
  readonly took: ReadonlyArray<number>
  /** How often the model that is told is worse than the other by more than the tolerance. */
  readonly wrong: number
}

/** How often a world goes on from what its ledger holds, and rounds after which it counts as not told. */
const futures = 40
const roundsMost = 2_500

/** Spread of a task's difficulty, logit: tasks that both models run share it. */
const difficulty = 2

const varianceOf = (belief: Beta) => mean(belief) * (1 - mean(belief))
const sizeOf = ({ alpha, beta }: Beta) => alpha + beta + 1

/** What was believed of two models, and the successes of each in rounds at the same task since. */
interface Pairs {
  readonly before: readonly [Beta, Beta]
  readonly rounds: number
  readonly successes: readonly [number, number]
  readonly correlation: number
}

/** The difference that pairs say and its variance: normal beliefs, updated by correlated verdicts. */
const differenceOf = ({ before, correlation, rounds, successes }: Pairs) => {
  const beliefs = before.map((belief, i) => beliefOf({ successes: successes[i]!, count: rounds }, belief))
  const variances = beliefs.map(varianceOf)
  const gained = rounds / (1 - correlation ** 2)
  const joint = -gained * correlation / Math.sqrt(variances[0]! * variances[1]!)
  const own = before.map((belief, i) => (sizeOf(belief) + gained) / variances[i]!)
  const rates = successes.map((each) => rounds === 0 ? 0 : each / rounds)
  const sums = before.map((belief, i) =>
    (sizeOf(belief) * mean(belief) + gained * rates[i]!) / variances[i]! + joint * rates[1 - i]!)
  const determinant = own[0]! * own[1]! - joint ** 2
  return {
    difference: ((own[1]! + joint) * sums[0]! - (own[0]! + joint) * sums[1]!) / determinant,
    variance: (own[0]! + own[1]! + 2 * joint) / determinant
  }
}

const withOutcome = (belief: Beta, success: boolean): Beta => beliefOf({ successes: success ? 1 : 0, count: 1 }, belief)

/** The same where only the second model has had verdicts since. */
const afterSecond = ([one, other]: readonly [Beta, Beta], count: number, successes: number) => {
  const then = beliefOf({ successes, count }, other)
  return {
    difference: mean(one) - mean(then),
    variance: varianceOf(one) / sizeOf(one) + varianceOf(then) / sizeOf(then)
  }
}

/** A world whose named number is above 0; null where the ledger has told the models apart already. */
export const verdictWorld = ({ counts, round, rule = tellRule, seed, spread }: VerdictWorldOptions): VerdictWorld | null => {
  const uniform = generator(seed)
  const kind = 1.2 + 0.8 * normal(uniform)
  const levels = [kind + spread * normal(uniform), kind + spread * normal(uniform)] as const
  /** True if a model succeeds at a task of this ease. */
  const succeeds = (model: 0 | 1, ease = normal(uniform)) => uniform() < sigmoid(levels[model] * 1.5 + difficulty * ease)
  const tried = Array.from({ length: 4_000 }, () => {
    const ease = normal(uniform)
    return [succeeds(0, ease) ? 1 : 0, succeeds(1, ease) ? 1 : 0] as const
  })
  const meanBy = (of: (each: readonly [number, number]) => number) =>
    tried.reduce((sum, each) => sum + of(each), 0) / tried.length
  const truths = [meanBy(([one]) => one), meanBy(([, other]) => other)]
  const correlation = (meanBy(([one, other]) => one * other) - truths[0]! * truths[1]!)
    / Math.sqrt(truths[0]! * (1 - truths[0]!) * truths[1]! * (1 - truths[1]!))
  const pooled = (truths[0]! + truths[1]!) / 2
  const heldOf = (model: 0 | 1) => Array.from({ length: counts[model] })
    .reduce<Beta>((belief) => withOutcome(belief, succeeds(model)), prior(pooled, 10))
  const held = [heldOf(0), heldOf(1)] as const
  const named = verdictsNeeded(held[0], held[1], round, rule)
  if (named === 0) return null
  const ends = Array.from({ length: futures }, () => {
    const successes = [0, 0] as [number, number]
    for (let rounds = 1; rounds <= roundsMost; rounds++) {
      const ease = normal(uniform)
      if (round !== "second" && succeeds(0, ease)) successes[0] += 1
      if (succeeds(1, round === "paired" ? ease : normal(uniform))) successes[1] += 1
      const { difference, variance } = round === "second"
        ? afterSecond(held, rounds, successes[1])
        : differenceOf({ before: held, rounds, successes, correlation: round === "paired" ? correlation : 0 })
      if (normalBelow((Math.abs(difference) + rule.tolerance) / Math.sqrt(variance)) >= rule.confidence) {
        const lead = difference >= 0 ? 0 : 1
        return { rounds, isWrong: truths[1 - lead]! - truths[lead]! > rule.tolerance }
      }
    }
    return { rounds: Infinity, isWrong: false }
  })
  return {
    named: named ?? Infinity,
    took: ends.map(({ rounds }) => rounds).sort((one, other) => one - other),
    wrong: ends.filter(({ isWrong }) => isWrong).length / futures
  }
}
