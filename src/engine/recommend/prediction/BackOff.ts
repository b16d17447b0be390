/** The back-off: a model's success at each level, shrunk toward the level above. */
import type { Levels, Tallies } from "../../../memory/Memory.ts"
import * as Actors from "../../../stats/Actors.ts"
import type { Tally } from "../../../stats/NeighbourMixture.ts"
import * as Propensity from "../../../stats/Propensity.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate } from "../candidates/Candidate.ts"

/** Pulls between the levels, outcomes, and on an actor's own outcomes; clip of the correction. */
export type BackOffRule = Pick<
  EngineSettings, "clusterPull" | "tagPull" | "actorRule" | "inversePropensityMin" | "inversePropensityMax"
>

/** Which cells count for a request. */
export interface CellQuery {
  /**
   * Only a known difficulty has a level of its own: an unknown one says next to nothing within a task type.
   */
  readonly isDifficultyKnown: boolean
  /** The request's tags. */
  readonly tags: ReadonlyArray<string>
}

const nothing: Tally = { weight: 0, success: 0 }

const minus = (all: Tally, part: Tally): Tally =>
  ({ weight: Math.max(0, all.weight - part.weight), success: Math.max(0, all.success - part.success) })

/** A level's outcomes: the actor's own, and the others'. */
interface ActorTallies {
  readonly own: Tally
  readonly others: Tally
}

/** The parts of a level; without a part of the actor's own, all outcomes are the others'. */
const partsOf = (tallies: Tallies, level: keyof Levels): ActorTallies => {
  const own = tallies.own?.[level] ?? nothing
  return { own, others: minus(tallies[level], own) }
}

/**
 * The task type's parts, corrected for the difficulties that the model was sent: a difficulty weighs more if
 * the model has few of all models' outcomes in it. The level of the request's difficulty starts from these
 * sums. Without the correction a model that ran only hard tasks would look weak, and a model that ran only
 * easy ones good.
 */
const balancedParts = (
  { inversePropensityMax, inversePropensityMin }: BackOffRule,
  tallies: Tallies
): ActorTallies => {
  const { byDifficulty, own } = tallies
  if (byDifficulty === undefined) return partsOf(tallies, "taskType")
  const factors = byDifficulty.map(({ modelShare }) =>
    Propensity.inverseWeight(modelShare, inversePropensityMin, inversePropensityMax))
  const parts = byDifficulty.map((each) => {
    const ownPart = own === undefined ? nothing : each.own
    return { own: ownPart, others: minus(each.tally, ownPart) }
  })
  return {
    own: Propensity.reweighted(parts.map((each) => each.own), factors),
    others: Propensity.reweighted(parts.map(({ others }) => others), factors)
  }
}

/**
 * The back-off cells lane, task type, a known difficulty, tags: `base` without the tags, `mean` and the
 * sample size with them. A level lends the next at most its pull, and never more than it is worth itself.
 */
export const cell = (
  settings: BackOffRule,
  candidate: Candidate,
  tallies: Tallies,
  { isDifficultyKnown, tags }: CellQuery
): Actors.Estimate & { readonly base: number } => {
  const below = (above: Actors.Estimate, pull: number, parts: ActorTallies) =>
    Actors.backOffForActor(above, pull, parts, settings.actorRule)
  const prior = { mean: candidate.prior, sampleSize: candidate.priorStrength }
  const lane = below(prior, candidate.priorStrength, partsOf(tallies, "lane"))
  const ofType = isDifficultyKnown ? balancedParts(settings, tallies) : partsOf(tallies, "taskType")
  const taskType = below(lane, settings.clusterPull, ofType)
  const base = isDifficultyKnown
    ? below(taskType, settings.clusterPull, partsOf(tallies, "cluster"))
    : taskType
  return {
    base: base.mean,
    ...(tags.length > 0 ? below(base, settings.tagPull, partsOf(tallies, "tags")) : base)
  }
}
