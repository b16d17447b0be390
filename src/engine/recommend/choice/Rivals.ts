/** The rivals of a pick: candidates that may still replace it, so that the reasoner may be asked. */
import * as Belief from "../../../stats/Belief.ts"
import { levelVariance } from "../../../stats/LaneLevel.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"
import { breakEven, type Objective } from "./Objective.ts"

export type RivalRule = Pick<EngineSettings, "levelRule" | "rivalSavingMin" | "rivalGainMin">

export interface Contest<A extends CostedCandidate> {
  readonly pick: A
  readonly candidates: ReadonlyArray<A>
  readonly objective: Objective
  readonly threshold: number
}

export interface Rivals<A extends CostedCandidate> {
  /** Candidates that would replace the pick at some success rates within both 95 % intervals. */
  readonly possible: ReadonlyArray<A>
  /** Possible rivals whose difference from the pick matters, in money or in success. */
  readonly live: ReadonlyArray<A>
}

/** Minimum variance, so that a model that always or never fails does not count as certain. */
const varianceMin = 0.02

const mayReplace = (
  { objective: { of }, pick, threshold }: Contest<CostedCandidate>,
  rival: CostedCandidate
): boolean =>
  of(rival, rival.successHigh) < of(pick, pick.successLow)
    ? rival.successHigh >= Math.min(threshold, pick.successLow)
    : pick.successLow < Math.min(threshold, rival.successHigh)

/** The variance of the lane's level after the outcomes of all candidates, logit^2. */
export const levelVarianceOf = (
  { levelRule }: Pick<RivalRule, "levelRule">,
  candidates: ReadonlyArray<CostedCandidate>
): number =>
  levelVariance(
    candidates.map(({ laneWeight, predictedSuccess, priorSpread }) =>
      ({ success: predictedSuccess, spread: priorSpread, weight: laneWeight })),
    levelRule
  )

/**
 * Each candidate's success, as a mean and a deviation. Unlike the interval in the answer, this deviation of
 * success includes the uncertainty about how easy the lane's tasks are.
 */
const beliefsOf = (
  settings: Pick<RivalRule, "levelRule">,
  candidates: ReadonlyArray<CostedCandidate>
): ((candidate: CostedCandidate) => Belief.Belief) => {
  const ofLevel = levelVarianceOf(settings, candidates)
  return ({ predictedSuccess, priorSpread, priorStrength, sampleSize }) => {
    const own = Math.max(0, sampleSize - priorStrength)
    const information = own * Math.max(varianceMin, predictedSuccess * (1 - predictedSuccess))
    return Belief.of(predictedSuccess, Math.sqrt(1 / (1 / (priorSpread ** 2 + ofLevel) + information)))
  }
}

/**
 * Returns the rivals of the pick. To be preferred to another model, a model must reach the lower of the
 * threshold and the other model's predicted success. If success has a value, a model preferred to another
 * must also reach the success at which both are worth the same. A rival is live if the pick is expected to
 * miss the success that the pick needs by `rivalGainMin`. Without a value of success, a rival is live if
 * (saved share of the pick's price) x (chance to succeed enough) is at least `rivalSavingMin`. With a value
 * of success, a rival is live if it is expected to exceed the success that it needs by `rivalGainMin`.
 */
export const rivalsOf = <A extends CostedCandidate>(settings: RivalRule, contest: Contest<A>): Rivals<A> => {
  const { candidates, objective, pick, threshold } = contest
  const { price, valueUsd } = objective
  const possible = candidates.filter((each) => each !== pick && mayReplace(contest, each))
  if (possible.length === 0) return { possible, live: [] }
  const beliefOf = beliefsOf(settings, candidates)
  const ofPick = beliefOf(pick)
  const barOf = (one: A, other: A): number =>
    Math.min(1, Math.max(breakEven(objective, one, other), Math.min(threshold, other.predictedSuccess)))
  const saves = (rival: A): boolean => {
    const bar = barOf(rival, pick)
    if (valueUsd !== null) return Belief.surplus(beliefOf(rival), bar) >= settings.rivalGainMin
    const share = 1 - price(rival) / price(pick)
    return share > 0 && share * Belief.chanceOf(beliefOf(rival), bar) >= settings.rivalSavingMin
  }
  const gains = (rival: A): boolean =>
    Belief.shortfall(ofPick, barOf(pick, rival)) >= settings.rivalGainMin
  return { possible, live: possible.filter((each) => gains(each) || saves(each)) }
}
