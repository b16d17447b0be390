/* What a value of success says of a candidate. */
import { armName } from "../../../domain/model/Arm.ts"
import { decimal, dollars, percent } from "../../../domain/text/Words.ts"
import { marginalUsd, type Scored } from "../candidates/Candidate.ts"
import type { Goal, Optimized } from "../choice/Choose.ts"
import { lowest } from "../choice/DecisionRule.ts"

/** What a candidate is worth, or how much of a loss it is. */
const worthWords = ({ objective: { of } }: Optimized, candidate: Scored): string => {
  const lossUsd = of(candidate)
  return lossUsd > 0 ? `a loss of ${dollars(lossUsd)}` : `worth ${dollars(-lossUsd)}`
}

/** Why the pick of a choice by value is the pick. */
export const valueMerit = ({ threshold }: Goal, optimized: Optimized, valueUsd: number): string => {
  const { deterministic, eligible, objective, pick, ranked } = optimized
  const price = `${dollars(valueUsd)} a success`
  if (pick !== deterministic) {
    const passed = armName(deterministic.card.modelId)
    return `drawn to explore in place of ${passed}, which is worth most at ${price}`
  }
  const worth = `${worthWords(optimized, pick)} a task at ${price}`
  const bar = threshold > 0 ? ` min_quality ${decimal(threshold)}` : ""
  if (eligible.length === 0) return `${worth}, the likeliest of ${ranked.length}, none of which reaches${bar}`
  const rival = lowest(objective, eligible.filter((each) => each !== pick))
  if (rival === undefined) return ranked.length === 1 ? worth : `${worth}, the only one that reaches${bar}`
  return `${worth}; ${armName(rival.card.modelId)}, ${percent(rival.predictedSuccess)} at`
    + ` ${dollars(marginalUsd(rival))}, is ${worthWords(optimized, rival)}`
}

/** Why another candidate than the pick is not it. */
export const valueShortfall = ({ threshold }: Goal, optimized: Optimized, candidate: Scored): string => {
  const { deterministic, eligible } = optimized
  const rival = armName(deterministic.card.modelId)
  if (candidate.predictedSuccess < threshold && eligible.length > 0) {
    return `short of min_quality ${decimal(threshold)}`
  }
  return eligible.length === 0
    ? `no likelier than ${rival}`
    : `${worthWords(optimized, candidate)} a task where ${rival} is ${worthWords(optimized, deterministic)}`
}
