/** Policy: sometimes picks another eligible model at random, so that the lane learns about this model. */
import { variantName } from "../../domain/model/ModelVariant.ts"
import { decimal, dollars } from "../../domain/text/Words.ts"
import * as Softmax from "../../stats/Softmax.ts"
import { adjectives } from "./ObjectiveWords.ts"
import { meritOf } from "../recommend/choice/Objective.ts"
import type { EngineSettings } from "../Settings.ts"
import type { Criteria } from "./Criteria.ts"
import type { Choice, ChoiceWords, PolicyContext, PolicyMaker } from "./Policy.ts"

type ExplorationRule = Pick<EngineSettings, "explorationShare" | "explorationTemperature">

const drawn = (before: ChoiceWords): ChoiceWords => ({
  ...before,
  merit: ({ criteria: { threshold, valueUsd }, deterministic, objective: { optimizeFor } }) => {
    const passed = `drawn to explore in place of ${variantName(deterministic.card.modelId)}`
    return valueUsd === null
      ? `${passed}, ${adjectives[optimizeFor].lowest} that reaches tau ${decimal(threshold)}`
      : `${passed}, which is worth most at ${dollars(valueUsd)} a success`
  },
  shortfall: (choice, candidate) =>
    candidate === choice.deterministic
      ? `passed over this time to explore ${variantName(choice.pick.card.modelId)}`
      : before.shortfall(choice, candidate),
  change: () => ""
})

/**
 * Draws the pick by epsilon-softmax over the eligible candidates: of predicted success or, with a value of
 * success, of success - cost / value. With probability at least 1 - epsilon, the deterministic pick is kept.
 *
 * @param draw in [0, 1)
 */
export const explored = (settings: ExplorationRule, choice: Choice, draw: number): Choice => {
  const { deterministic, eligible, objective } = choice
  const greedy = eligible.findIndex((each) => each.card.modelId === deterministic.card.modelId)
  if (greedy === -1 || eligible.length < 2) return choice
  const distribution = Softmax.epsilonMix(
    Softmax.tempered(eligible.map((each) => meritOf(objective, each)), settings.explorationTemperature),
    greedy,
    settings.explorationShare
  )
  const index = Softmax.draw(distribution, draw)
  const pick = eligible[index] ?? deterministic
  const propensity = distribution[index] ?? 1
  return pick === deterministic
    ? { ...choice, propensity }
    : { ...choice, pick, propensity, words: drawn(choice.words) }
}

/** Tells whether a model may be drawn at random: to explore, or as a trial of a guarantee. */
export const mayDraw = (
  { guarantee }: Pick<PolicyContext, "guarantee">,
  { selectionPolicy }: Pick<Criteria, "selectionPolicy">
): boolean => guarantee !== null || selectionPolicy === "epsilon_softmax"

/** Tells whether other models are tried, by exploration or by trials of a guarantee. */
export const triesOthers = (
  { guarantee }: Pick<PolicyContext, "guarantee">,
  { selectionPolicy }: Pick<Criteria, "selectionPolicy">
): boolean =>
  guarantee === null ? selectionPolicy === "epsilon_softmax" : guarantee.isPaired || guarantee.trialShare > 0

/** Under a guarantee, no model is drawn to explore, even if the guarantee cannot be given. */
export const explore: PolicyMaker = ({ guarantee, settings }) =>
  guarantee !== null ? null : (choice, draw) =>
    choice.criteria.selectionPolicy === "epsilon_softmax" ? explored(settings, choice, draw) : choice
