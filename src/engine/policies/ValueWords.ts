/* The words of a choice by a value of success. */
import { variantName } from "../../domain/model/ModelVariant.ts"
import { decimal, dollars, percent } from "../../domain/text/Words.ts"
import type { Scored } from "../recommend/candidates/Candidate.ts"
import { lowest } from "../recommend/choice/DecisionRule.ts"
import type { Choice } from "./Policy.ts"

/** The words on the worth or the loss of a candidate. */
const worthWords = ({ objective: { of } }: Choice, candidate: Scored): string => {
  const lossUsd = of(candidate)
  return lossUsd > 0 ? `a loss of ${dollars(lossUsd)}` : `worth ${dollars(-lossUsd)}`
}

/** The words that say why the pick is the pick. */
export const valueMerit = (choice: Choice, valueUsd: number): string => {
  const { criteria: { threshold }, eligible, objective, pick, ranked } = choice
  const worth = `${worthWords(choice, pick)} a task at ${dollars(valueUsd)} a success`
  const bar = threshold > 0 ? ` min_quality ${decimal(threshold)}` : ""
  if (eligible.length === 0) return `${worth}, the likeliest of ${ranked.length}, none of which reaches${bar}`
  const rival = lowest(objective, eligible.filter((each) => each !== pick))
  if (rival === undefined) return ranked.length === 1 ? worth : `${worth}, the only one that reaches${bar}`
  return `${worth}; ${variantName(rival.card.modelId)}, ${percent(rival.predictedSuccess)} at`
    + ` ${dollars(rival.cost.costUsd)}, is ${worthWords(choice, rival)}`
}

/** The words that say why another candidate is not the pick. */
export const valueShortfall = (choice: Choice, candidate: Scored): string => {
  const { criteria: { threshold }, deterministic, eligible } = choice
  const rival = variantName(deterministic.card.modelId)
  if (candidate.predictedSuccess < threshold && eligible.length > 0) {
    return `short of min_quality ${decimal(threshold)}`
  }
  return eligible.length === 0
    ? `no likelier than ${rival}`
    : `${worthWords(choice, candidate)} a task where ${rival} is ${worthWords(choice, deterministic)}`
}
