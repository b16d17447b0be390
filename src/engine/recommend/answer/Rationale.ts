/** The words that explain one candidate to the caller. */
import type { ModelCard } from "../../../domain/model/Model.ts"
import { counted, dollars, percent, percentBeside } from "../../../domain/text/Words.ts"
import type { Choice } from "../../policies/Policy.ts"
import type { Scored } from "../candidates/Candidate.ts"

const priorWords = ({ capabilitySource }: ModelCard): string => {
  switch (capabilitySource) {
    case "none":
      return "the prior of an average measured model"
    case "catalog_file":
      return "the catalog file's prior"
    case "declared":
      return "the prior that its account declares"
    case "base_model":
      return "the benchmark prior of its base model"
    case "family":
      return "the benchmark prior of a model that its name begins with"
    case "effort":
      return "the benchmark prior of the model, moved by its effort"
    case "family+price":
      return "a prior inferred from its family and price"
    case "price+date":
      return "a prior inferred from its price and date"
    default:
      return "its benchmark prior"
  }
}

const basisWords = ({ card, decisionBasis, neighbours }: Scored): string => {
  const outcomes = neighbours.heavy === 0 ? null : counted(neighbours.heavy, "similar outcome")
  switch (decisionBasis) {
    case "prior":
      return `${priorWords(card)} alone`
    case "memory":
      return outcomes ?? "this namespace's outcomes of the same task type"
    case "llm":
      return `the reasoner and ${outcomes ?? priorWords(card)}`
  }
}

const costBasisWords = ({ cost, costBasis }: Scored): string => {
  if (costBasis !== "estimate") return "obs"
  return cost.breakdown["learned_ratio"] === undefined ? "est" : "est (learned)"
}

/**
 * Writes an explanation of each candidate of a choice. The explanation gives the predicted success with its
 * interval and basis, and the cost with `est` or `obs`. The explanation says why the candidate is or is not
 * the pick. The pick's explanation may name a threshold or value at which another model would be picked.
 */
export const rationales = (choice: Choice): ((candidate: Scored) => string) => {
  const { criteria: { threshold }, pick, words } = choice
  return (candidate) => {
    const chance = `${percentBeside(candidate.predictedSuccess, threshold)} likely to succeed`
      + ` (95 % interval ${percent(candidate.successLow)} to ${percent(candidate.successHigh)})`
      + ` going by ${basisWords(candidate)}`
    const cost = `${dollars(candidate.cost.costUsd)} (${costBasisWords(candidate)})`
    const over = words.over(candidate)
    return candidate === pick
      ? `${chance}, and at ${cost} ${words.merit(choice)}${over === "" ? "" : `, though ${over}`}`
        + `${words.change(choice)}.${words.afterword(pick)}`
      : `${chance}, at ${cost}, but ${words.shortfall(choice, candidate)}`
        + `${over === "" ? "" : ` and ${over}`}.`
  }
}
