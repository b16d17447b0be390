/** The share of optimism that a lane allows for a model that is hardly known near a task. */
import { type LaneNumbers, structure } from "../../../stats/LaneNumbers.ts"
import type { EngineSettings } from "../../Settings.ts"

/** Where optimism begins and how fast it opens. */
export type OptimismGateRule = Pick<
  EngineSettings, "optimismStructureMin" | "optimismStructureSpan" | "optimismNearbyHalf"
>

/**
 * Share of the optimism that this lane allows near this task, in [0, 1]: as much as its outcomes show that
 * kinds of task differ, and only where tasks like this one come again.
 *
 * @param nearby weight of all recalled outcomes
 */
export const optimismGate = (settings: OptimismGateRule, numbers: LaneNumbers, nearby: number): number => {
  const shown = (structure(numbers) - settings.optimismStructureMin) / settings.optimismStructureSpan
  return Math.min(1, Math.max(0, shown)) * nearby / (nearby + settings.optimismNearbyHalf)
}
