/** The back-off: success in ever narrower groups of outcomes, each shrunk toward the broader group. */
import type { Levels, Tallies } from "../../../memory/Memory.ts"
import * as Actors from "../../../stats/Actors.ts"
import type { Tally } from "../../../stats/NeighbourMixture.ts"
import * as Propensity from "../../../stats/Propensity.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate } from "../candidates/Candidate.ts"

export type BackOffRule = Pick<
  EngineSettings, "clusterPull" | "tagPull" | "actorRule" | "inversePropensityMin" | "inversePropensityMax"
>

/** The groups of outcomes that count for a request. */
export interface CellQuery {
  /** An assumed difficulty says little within a task type, so it forms no group. */
  readonly isDifficultyKnown: boolean
  readonly tags: ReadonlyArray<string>
}

const nothing: Tally = { weight: 0, success: 0 }

const minus = (all: Tally, part: Tally): Tally =>
  ({ weight: Math.max(0, all.weight - part.weight), success: Math.max(0, all.success - part.success) })

interface ActorTallies {
  readonly own: Tally
  readonly others: Tally
}

const partsOf = (tallies: Tallies, level: keyof Levels): ActorTallies => {
  const own = tallies.own?.[level] ?? nothing
  return { own, others: minus(tallies[level], own) }
}

/**
 * Returns a model's outcomes of the task type, balanced by difficulty. An outcome of a difficulty weighs more
 * if the model has a small share of all models' outcomes of this difficulty. Without balance by difficulty, a
 * model that ran mostly hard tasks would look weak.
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

/** Estimates success by lane, task type, known difficulty and tags. `base` is the success without tags. */
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
