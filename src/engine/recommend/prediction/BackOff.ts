/** The cells of a model's outcomes, each pulled towards the level above. */
import type { Levels, Tallies } from "../../../memory/Memory.ts"
import * as Actors from "../../../stats/Actors.ts"
import type { Tally } from "../../../stats/Mixture.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate } from "../candidates/Candidate.ts"

/** Pulls between the levels, outcomes, and on an actor's own outcomes. */
export type BackOffRule = Pick<EngineSettings, "clusterPull" | "tagPull" | "actorRule">

/** Which cells count for a request. */
export interface CellQuery {
  /** A guessed difficulty says next to nothing inside a task type, so only the caller's has a cell. */
  readonly isDifficultyGiven: boolean
  /** Of the request. */
  readonly tags: ReadonlyArray<string>
}

const nothing: Tally = { weight: 0, success: 0 }

const minus = (all: Tally, part: Tally): Tally =>
  ({ weight: Math.max(0, all.weight - part.weight), success: Math.max(0, all.success - part.success) })

/**
 * The back-off cells lane, task type, the caller's difficulty, tags: `base` without the tags, `mean` and the
 * sample size with them. A level lends the next at most its pull, and never more than it is worth itself.
 */
export const cell = (
  settings: BackOffRule,
  candidate: Candidate,
  tallies: Tallies,
  { isDifficultyGiven, tags }: CellQuery
): Actors.Estimate & { readonly base: number } => {
  const below = (above: Actors.Estimate, pull: number, level: keyof Levels) => {
    // Without a part of their own, all outcomes are the others'; both are the plain level.
    const own = tallies.own?.[level] ?? nothing
    const others = minus(tallies[level], own)
    return Actors.backOffForActor(above, pull, { own, others }, settings.actorRule)
  }
  const prior = { mean: candidate.prior, sampleSize: candidate.priorStrength }
  const lane = below(prior, candidate.priorStrength, "lane")
  const taskType = below(lane, settings.clusterPull, "taskType")
  const base = isDifficultyGiven ? below(taskType, settings.clusterPull, "cluster") : taskType
  return { base: base.mean, ...(tags.length > 0 ? below(base, settings.tagPull, "tags") : base) }
}
