/** Finds candidates whose outcomes include those of another model that their id stood for before. */
import { type ModelRestarts, restartOf } from "../../../domain/model/ModelIdentity.ts"
import type { RecommendWarning } from "../../../domain/Warning.ts"
import { ageDaysOf } from "../../../memory/MemorySettings.ts"
import type { Neighbours } from "../../../memory/Neighbours.ts"
import type { Candidate } from "../candidates/Candidate.ts"

/**
 * `models_changed:<n>`, where n candidates have neighbours from before they became other models.
 *
 * @param askedAtMs a moment before the recall, ms since 1970
 */
export const formerOutcomes = (
  restarts: ModelRestarts,
  candidates: ReadonlyArray<Candidate>,
  neighbours: Neighbours,
  askedAtMs: number
): ReadonlyArray<RecommendWarning> => {
  const changed = candidates.filter(({ card: { modelId } }) => {
    const atMs = restartOf(restarts, modelId)
    const { from, to } = atMs === 0 ? { from: 0, to: 0 } : neighbours.rowsOf(modelId)
    const ageDays = ageDaysOf(atMs, askedAtMs)
    for (let row = from; row < to; row++) {
      if (neighbours.currentShare(row) < 1 && neighbours.ageDays(row) > ageDays) return true
    }
    return false
  }).length
  return changed === 0 ? [] : [`models_changed:${changed}`]
}
