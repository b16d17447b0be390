/**
 * The rivals of a pick: candidates that may still replace it. The escalation asks the reasoner about these
 * rivals.
 */
import * as Belief from "../../../stats/Belief.ts"
import { levelVariance } from "../../../stats/LaneLevel.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { CostedCandidate } from "../candidates/Candidate.ts"
import { breakEven, type Objective } from "./Objective.ts"

/** Settings: the limits from which a difference matters, and the spread of lanes around the priors. */
export type RivalRule = Pick<EngineSettings, "levelRule" | "rivalSavingMin" | "rivalGainMin">

/** A pick, the candidates from which it was chosen, and the threshold. */
export interface Contest<A extends CostedCandidate> {
  readonly pick: A
  readonly candidates: ReadonlyArray<A>
  readonly objective: Objective
  /** The minimum success that the pick must reach, in [0, 1]. */
  readonly threshold: number
}

/** Two lists of a pick's rivals, each in the order of the candidates. */
export interface Rivals<A extends CostedCandidate> {
  /** Candidates that would replace the pick at some success rates within both 95 % intervals. */
  readonly possible: ReadonlyArray<A>
  /** Possible rivals whose difference from the pick matters, in money or in success. */
  readonly live: ReadonlyArray<A>
}

/**
 * Minimum variance of a success. With this minimum, a model that always or never fails does not count as
 * certain.
 */
const varianceMin = 0.02

/** Tells whether the rule would pick the rival at some success rates within both 95 % intervals. */
const mayReplace = (
  { objective: { of }, pick, threshold }: Contest<CostedCandidate>,
  rival: CostedCandidate
): boolean =>
  of(rival, rival.successHigh) < of(pick, pick.successLow)
    ? rival.successHigh >= Math.min(threshold, pick.successLow)
    : pick.successLow < Math.min(threshold, rival.successHigh)

/** Computes the variance of the lane's level after the outcomes of all candidates, logit^2. */
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
 * Computes the belief about each candidate's success, as a mean and a deviation. The belief differs from the
 * interval in the answer, which becomes narrower only with the model's own outcomes. The largest part of a
 * prior's error is the lane's level, which is learned from the outcomes of all models.
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
 * Returns the rivals of the pick. The bar that a model must reach is the lower of the threshold and the
 * prediction of the model that it is compared with. A cheaper or faster rival saves a share of the pick's
 * cost or latency. The rival is live if this share times its chance to reach its bar is at least
 * `rivalSavingMin`. Any rival is live if the pick is expected to fall short of its bar by at least
 * `rivalGainMin`.
 *
 * If the request has a value of success, a bar is at least the break-even success. A rival is then also live
 * if it is expected to exceed its bar by `rivalGainMin`, but savings alone do not make it live.
 */
export const rivalsOf = <A extends CostedCandidate>(settings: RivalRule, contest: Contest<A>): Rivals<A> => {
  const { candidates, objective, pick, threshold } = contest
  const { price, valueUsd } = objective
  const possible = candidates.filter((each) => each !== pick && mayReplace(contest, each))
  if (possible.length === 0) return { possible, live: [] }
  const beliefOf = beliefsOf(settings, candidates)
  const ofPick = beliefOf(pick)
  /** Computes the success that one candidate must reach to be as good as the other candidate. */
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
