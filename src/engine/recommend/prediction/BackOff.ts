/** The cells of a model's outcomes, each pulled towards the level above. */
import type { Tallies } from "../../../memory/Memory.ts"
import type { Tally } from "../../../stats/Mixture.ts"
import * as Mixture from "../../../stats/Mixture.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Candidate } from "../candidates/Candidate.ts"

/** Pulls between the levels, outcomes. */
export type BackOffRule = Pick<EngineSettings, "clusterPull" | "tagPull">

/** Which cells count for a request. */
export interface CellQuery {
  /** A guessed difficulty says next to nothing inside a task type, so only the caller's has a cell. */
  readonly isDifficultyGiven: boolean
  /** Of the request. */
  readonly tags: ReadonlyArray<string>
}

/**
 * The back-off cells lane, task type, the caller's difficulty, tags: `base` without the tags, `mean` and the
 * sample size with them.
 */
export const cell = (
  settings: BackOffRule,
  candidate: Candidate,
  tallies: Tallies,
  { isDifficultyGiven, tags }: CellQuery
): { readonly base: number; readonly mean: number; readonly sampleSize: number } => {
  // A level lends the next at most its pull, and never more than it is worth itself.
  const below = (
    above: { readonly mean: number; readonly sampleSize: number }, pull: number, tally: Tally
  ) => ({
    mean: Mixture.backOff(pull, above.mean, tally),
    sampleSize: Math.min(above.sampleSize, pull) + tally.weight
  })
  const prior = { mean: candidate.prior, sampleSize: candidate.priorStrength }
  const lane = below(prior, candidate.priorStrength, tallies.lane)
  const taskType = below(lane, settings.clusterPull, tallies.taskType)
  const base = isDifficultyGiven ? below(taskType, settings.clusterPull, tallies.cluster) : taskType
  return { base: base.mean, ...(tags.length > 0 ? below(base, settings.tagPull, tallies.tags) : base) }
}
