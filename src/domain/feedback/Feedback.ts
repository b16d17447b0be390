/* The request and the answer of a feedback. */
import { Schema } from "effect"
import type { RecommendationId } from "../RecommendationId.ts"
import { RunSignals } from "../RunSignals.ts"
import { taskId } from "../TaskKey.ts"
import { firstOf } from "../text/Lists.ts"
import { Identifier, Prose, Reference } from "../text/Text.ts"
import { textLimits } from "../text/TextLimits.ts"
import { Figure, Millis, Price, Probability, Tokens, UsdSent } from "../Units.ts"
import { FeedbackWarnings } from "../Warning.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"

export const Outcome = Schema.Literals(["success", "partial", "failure"])
  .annotate({ identifier: "Outcome", description: "The outcome of a call." })
export type Outcome = typeof Outcome.Type

/** Success that reports count for each outcome, in [0, 1]. */
export const successOf: { readonly [O in Outcome]: number } = { success: 1, partial: 0.5, failure: 0 }

interface QualityBand {
  readonly success: readonly [low: number, high: number]
  readonly failure: readonly [low: number, high: number]
}

/** A quality between the ranges of failure and success is a partial success. */
export const outcomeByQuality = (quality: number, { failure, success }: QualityBand): Outcome =>
  quality >= success[0] ? "success" : quality <= failure[1] ? "failure" : "partial"

export const EvidenceSource = Schema.Literals([
  "gate", "judge", "human", "self_check", "no_result", "none"
]).annotate({
  identifier: "EvidenceSource",
  description: "The source of a label. `gate`: a deterministic check that the agent neither wrote nor chose. "
    + "`judge`: a model. `human`: a person. `self_check`: a check that the agent wrote or chose itself; it "
    + "is kept and teaches nothing. `no_result`: the run ended without a result, such as an empty patch; it "
    + "is a failure and counts as a gate's. `none`: no label, so that only cost and latency count."
})
export type EvidenceSource = typeof EvidenceSource.Type

/** Refuses a report that the run ended without a result and yet was not a failure. */
export const failsWithoutResult = Schema.makeFilter(({ evidenceSource, outcome }: {
  readonly evidenceSource: EvidenceSource | null
  readonly outcome: Outcome | null
}) =>
  evidenceSource !== "no_result" || outcome === "failure" || outcome === null
    || { path: ["evidence_source"], issue: "`no_result` is a failure only" })

export const ErrorCause = Schema.Literals(["infra", "quality"]).annotate({
  identifier: "ErrorCause",
  description: "The cause of a failure. `infra`: a fault of the provider or of tools, from which predictions "
    + "of success do not learn. `quality`: a fault of the result."
})
export type ErrorCause = typeof ErrorCause.Type

export const CostSource = Schema.Literals(["reported", "computed"]).annotate({
  identifier: "CostSource",
  description: "The basis of a cost: the reported bill, or tokens at list prices."
})
export type CostSource = typeof CostSource.Type

export const StepOutcome = wire({
  stepId: described(Identifier, "Your name of the step."),
  stepName: described(nullable(Prose(textLimits.stepName)), "The step's name for people."),
  outcome: described(Outcome, "The outcome of the step."),
  signal: described(
    nullable(Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))),
    "Reward of the step. Default: the reward that belongs to `outcome`."
  ),
  rationale: described(
    nullable(Prose(textLimits.stepProse)), "The reason, for example the check that verified it."
  ),
  directiveHint: described(nullable(Prose(textLimits.stepProse)), "A hint for similar tasks in the future.")
}, { identifier: "StepOutcome", description: "The outcome of one step of an agent's run." })
export type StepOutcome = typeof StepOutcome.Type

/** Maximum number of step outcomes that are read in one feedback (specification, "Limits"). */
export const stepOutcomesMax = 32

const retryAfterMsMax = 600_000

export const FeedbackRequest = wire({
  recommendationId: described(Reference, "The id of a recommendation, or of a step of a workflow."),
  chosenModelId: described(
    nullable(Identifier),
    "The model that ran, if it is not the recommended one. Default: the model that was reported last for "
      + "this recommendation. Before any report, the default is the recommended model, or the baseline in "
      + "shadow."
  ),
  outcome: described(Outcome, "How the call went."),
  qualityScore: described(
    nullable(Probability), "Quality of the result. Default: 0.9, 0.5 or 0.1 by `outcome`."
  ),
  evidenceSource: described(nullable(EvidenceSource), "The source of the label."),
  errorCause: described(
    nullable(ErrorCause),
    "The cause of the failure. Default: `infra` if `provider_status` is 408, 409, 429, or at least 500, and "
      + "the call did not succeed."
  ),
  providerStatus: described(
    nullable(Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 }))),
    "HTTP status with which the provider refused the call."
  ),
  retryAfterMs: described(
    nullable(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: retryAfterMsMax }))),
    "The wait that the provider asked for before the next call, in milliseconds."
  ),
  inputTokens: described(nullable(Tokens), "Billed input tokens."),
  cachedInputTokens: described(nullable(Tokens), "The part of `input_tokens` that a prompt cache held."),
  cacheWriteInputTokens: described(
    nullable(Tokens), "The part of `input_tokens` that was written to a prompt cache."
  ),
  cacheWriteHourInputTokens: described(
    nullable(Tokens), "The part of `cache_write_input_tokens` that the cache keeps for an hour."
  ),
  serviceTier: described(
    nullable(Identifier),
    "Service tier of the call, in the provider's words: `flex`, `priority`, `batch`. Default: the usual tier."
  ),
  webSearches: described(nullable(Tokens), "Web searches that the provider ran for the call, count."),
  outputTokens: described(nullable(Tokens), "Billed output tokens, reasoning tokens included."),
  reasoningTokens: described(nullable(Tokens), "The part of `output_tokens` that was spent on reasoning."),
  actualCostUsd: described(
    nullable(UsdSent), "The bill in US dollars, not an estimate. An explicit 0 means that the call was free."
  ),
  latencyMs: described(nullable(Millis), "Latency of the call, in milliseconds."),
  timeToFirstTokenMs: described(nullable(Millis), "Time to the first token of the answer, in milliseconds."),
  iterations: described(nullable(Millis), "Turns of an agent until the end."),
  signals: described(nullable(RunSignals), "Signals of an agent's run. No prediction or choice uses the "
    + "signals."),
  chosenEffort: described(
    nullable(Identifier),
    "Level of reasoning effort that was used. The level of effort distinguishes the outcomes of candidates "
      + "that are one model at different levels. Default: the level that was to run, if it is clear."
  ),
  stepOutcomes: described(
    defaulted(firstOf(StepOutcome, stepOutcomesMax), []),
    "Outcomes of the run's steps. Only the first 32 steps are read."
  ),
  verifiedInProduction: described(
    defaulted(Schema.Boolean, false), "Deprecated: send `evidence_source` with `gate` instead."
  ),
  judged: described(nullable(Schema.Boolean), "Deprecated: false is `evidence_source` with `none`."),
  taskId,
  notes: described(nullable(Prose(textLimits.notes)), "Your notes on the result."),
  idempotencyKey: described(
    nullable(Identifier), "Reports with the same key count once. Default: a key of recommendation and model."
  )
}, { identifier: "FeedbackRequest", description: "The outcome and the cost of a call." })
  .check(failsWithoutResult)
export type FeedbackRequest = typeof FeedbackRequest.Type

export type IdentifiedFeedback = Omit<FeedbackRequest, "recommendationId"> & {
  readonly recommendationId: RecommendationId | null
}

export type AttributedFeedback = FeedbackRequest & { readonly chosenModelId: string }

export const rateLimitStatus = 429

/** The reported cause, else `infra` if a provider's status implies it without a success, else null. */
export const errorCauseOf = (
  { errorCause, outcome, providerStatus }: Pick<FeedbackRequest, "errorCause" | "outcome" | "providerStatus">
): ErrorCause | null => {
  if (errorCause !== null || outcome === "success" || providerStatus === null) return errorCause
  return [408, 409, rateLimitStatus].includes(providerStatus) || providerStatus >= 500 ? "infra" : null
}

export const readSteps = (
  { stepOutcomes }: Pick<FeedbackRequest, "stepOutcomes">
): ReadonlyArray<StepOutcome> => stepOutcomes.filter((step) => step !== null)

export const FeedbackResponse = wire({
  accepted: described(Schema.Boolean, "Whether the outcome is stored durably. If the outcome is not stored, "
    + "`warnings` say why."),
  recordId: described(Schema.NullOr(Schema.String), "Id of the record that counts this outcome."),
  reinforcedEntryIds: described(
    Schema.Array(Schema.String), "Ids of the memory entries about the model that ran whose quality agreed "
      + "with the outcome."
  ),
  updatedConfidence: described(
    Schema.NullOr(Figure), "Mean reliability of the entries that the report voted on, after the votes; null "
      + "if there are none."
  ),
  reflectionTriggered: described(Schema.Boolean, "Whether a reflection on the lane was triggered."),
  lessonPromoted: described(Schema.Boolean, "Whether a strong success that a gate verified became a lesson."),
  stepOutcomesRecorded: described(Schema.Int, "Step outcomes stored in memory, count."),
  costSource: described(nullable(CostSource), "Source of this model's cost; null if no cost is known."),
  computedCostUsd: described(
    nullable(Price), "The cost at list prices, in US dollars, if no bill was reported."
  ),
  warnings: described(FeedbackWarnings, "Changed or ignored parts of the report, and failed steps.")
}, { identifier: "FeedbackResponse", description: "Result of a report." })
export type FeedbackResponse = typeof FeedbackResponse.Type

/** `assertion` is a label without a named source, which teaches but is not trusted. */
export const Provenance = Schema.Literals(["gate", "judge", "human", "self_check", "none", "assertion"])
export type Provenance = typeof Provenance.Type

/** A run without a result counts as a gate's failure, because every check would have failed. */
export const provenanceOfSource = (source: EvidenceSource | null): Provenance =>
  source === "no_result" ? "gate" : source ?? "assertion"

/** Memory stores an agent's own check as if there were no label. */
export const provenanceInMemory = (provenance: Provenance): MemoryProvenance =>
  provenance === "self_check" ? "none" : provenance

export const MemoryProvenance = Schema.Literals(["gate", "judge", "human", "none", "assertion"])
export type MemoryProvenance = typeof MemoryProvenance.Type

export const isTrusted = (source: string): boolean => source === "gate" || source === "human"
