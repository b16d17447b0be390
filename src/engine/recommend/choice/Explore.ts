/** Exploration: now and then another eligible model is drawn, so that the lane learns about it. */
import * as Softmax from "../../../stats/Softmax.ts"
import type { EngineSettings } from "../../Settings.ts"
import type { Scored } from "../candidates/Candidate.ts"
import { meritOf, type Objective } from "./Objective.ts"

/** Share of sampled picks, and the temperature of the draw. */
export type ExplorationRule = Pick<EngineSettings, "explorationShare" | "explorationTemperature">

/** A pick, and how likely it was. */
interface Explored {
  readonly pick: Scored
  /** Probability with which this pick was made, in (0, 1]. */
  readonly propensity: number
}

/**
 * Epsilon-softmax over the eligible: with share epsilon a draw tempered by predicted success, under a value
 * by success less cost in units of the value, else the deterministic pick. No model below the threshold is
 * ever drawn; with none or one eligible there is nothing to draw.
 *
 * @param uniform in [0, 1)
 */
export const explore = (
  settings: ExplorationRule,
  objective: Objective,
  pick: Scored,
  eligible: ReadonlyArray<Scored>,
  uniform: number
): Explored => {
  const greedy = eligible.findIndex((each) => each.card.modelId === pick.card.modelId)
  if (greedy === -1 || eligible.length < 2) return { pick, propensity: 1 }
  const distribution = Softmax.epsilonMix(
    Softmax.tempered(eligible.map((each) => meritOf(objective, each)), settings.explorationTemperature),
    greedy,
    settings.explorationShare
  )
  const index = Softmax.draw(distribution, uniform)
  return { pick: eligible[index] ?? pick, propensity: distribution[index] ?? 1 }
}
