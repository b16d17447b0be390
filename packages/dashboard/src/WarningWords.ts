/* The warnings of decisions, each in a sentence. */
import type { RecommendWarning } from "../../../src/domain/Warning.ts"

type Kind = RecommendWarning extends infer W ? W extends `${infer K}:${string}` ? K : W & string : never

/** A sentence for each kind of warning, to which the warning's text after the colon is added. */
const sentences: { readonly [K in Kind]: string } = {
  cold_start: "No outcome was known near this task.",
  recall_timeout: "Past outcomes could not be read in time.",
  memory_unavailable: "Past outcomes could not be read.",
  prices_stale: "Prices of models are old: not refreshed for 72 hours, or bundled and 30 days old.",
  no_model_meets_threshold: "No candidate was likely enough to succeed, so the likeliest was picked.",
  no_model_within_capacity: "No candidate can read the whole task and write its answer.",
  no_model_within_cost_budget: "No candidate was cheap enough for the request.",
  no_model_within_latency_budget: "No candidate was fast enough for the request.",
  no_model_worth_its_cost: "No candidate was worth its cost, by what a success is worth.",
  no_latency_history: "How fast the candidates are was not known.",
  memory_drift: "Past outcomes here are no longer a good guide",
  exploration_pick: "The pick was drawn at random, to learn.",
  reasoner_consulted: "A language model was asked for its opinion.",
  reasoner_failed: "The language model that gives a second opinion did not answer.",
  reasoner_disabled: "A second opinion of a language model would have been asked for, and is switched off.",
  llm_classified: "A language model told what kind of task it is.",
  embedder_failed: "The task could not be compared with past ones by meaning.",
  account_models_unavailable: "The account's own models could not be read.",
  account_settings_unavailable: "The account's settings could not be read.",
  lane_numbers_unavailable: "What this namespace has learned of its predictions could not be read.",
  budget_paced: "A cheaper model was preferred to keep the budget.",
  budget_unavailable: "The budget could not be read.",
  attempts_unavailable: "Earlier attempts at the task could not be read.",
  guarantee_unavailable: "The guarantee's evidence could not be read, so your own model was picked.",
  guarantee_baseline_unavailable: "The guarantee's own model could not be picked.",
  guarantee_needs_trials: "The guarantee cannot gather evidence, since nothing is tried.",
  candidates_capped: "The request named more candidates than are scored",
  models_changed: "The provider changed candidates, which start anew",
  capability_unknown: "Whether candidates can do what the request needs is not known",
  price_unknown: "The price of a candidate's variant is not known, and its model's is used",
  unknown_attempts: "Earlier attempts that the request named are not known",
  verification_without_retry: "Results are checked, and no second attempt ever follows a failure",
  gate_seldom_fails: "The gate passes over 95 % of the attempts, so it may tell little",
  model_retired: "The request named a model that its provider has retired",
  model_retiring: "A model will soon be retired",
  model_unhealthy: "A candidate was failing, and was passed by",
  unknown_models: "The request named candidates that are not in the catalog",
  unknown_field: "The request had a field that is not known"
}

const reasons: Readonly<Record<string, string>> = {
  repeated: "the same outcomes repeat",
  stagnant: "nothing new was learned"
}

const isKind = (kind: string): kind is Kind => Object.hasOwn(sentences, kind)

/** A warning as a sentence; an unknown warning stays as it is. */
export const warningWords = (warning: string): string => {
  const colon = warning.indexOf(":")
  const kind = colon < 0 ? warning : warning.slice(0, colon)
  if (!isKind(kind)) return warning
  const detail = colon < 0 ? "" : warning.slice(colon + 1)
  const sentence = sentences[kind].replace(/\.$/, "")
  return detail === "" ? `${sentence}.` : `${sentence} (${reasons[detail] ?? detail}).`
}
