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
  .annotate({ identifier: "Outcome", description: "How a call went." })
export type Outcome = typeof Outcome.Type

/** Success of a call in [0, 1], as reports count it: a partial one is one half. */
export const successOf: { readonly [O in Outcome]: number } = { success: 1, partial: 0.5, failure: 0 }

/** Where the qualities of a success begin and those of a failure end, in [0, 1]. */
interface QualityBand {
  readonly success: readonly [low: number, high: number]
  readonly failure: readonly [low: number, high: number]
}

/** What a quality alone comes to: between the bands of success and failure a partial success. */
export const outcomeByQuality = (quality: number, { failure, success }: QualityBand): Outcome =>
  quality >= success[0] ? "success" : quality <= failure[1] ? "failure" : "partial"

export const EvidenceSource = Schema.Literals([
  "gate", "judge", "human", "self_check", "no_result", "none"
]).annotate({
  identifier: "EvidenceSource",
  description: "Where a label comes from: `gate`, a deterministic check that the agent neither wrote nor "
    + "chose; `judge`, a model scored it; `human`, a person said so; `self_check`, a check that the agent "
    + "wrote or chose itself, which is kept and teaches nothing; `no_result`, the run ended without a "
    + "result (a limit before a submission, an empty patch): a failure only, which counts as a gate's; "
    + "`none`, no label, so that only cost and latency count."
})
export type EvidenceSource = typeof EvidenceSource.Type

/** Refuses a run without a result that is said to be anything but a failure. */
export const failsWithoutResult = Schema.makeFilter(({ evidenceSource, outcome }: {
  readonly evidenceSource: EvidenceSource | null
  readonly outcome: Outcome | null
}) =>
  evidenceSource !== "no_result" || outcome === "failure" || outcome === null
    || { path: ["evidence_source"], issue: "`no_result` is a failure only" })

export const ErrorCause = Schema.Literals(["infra", "quality"]).annotate({
  identifier: "ErrorCause",
  description: "Why a call failed: `infra`, a fault of the provider or of tools, which is never learned as "
    + "the model's; or `quality`."
})
export type ErrorCause = typeof ErrorCause.Type

/** Whether a cost is the bill that the caller reported, or computed from its tokens and list prices. */
export const CostSource = Schema.Literals(["reported", "computed"]).annotate({
  identifier: "CostSource",
  description: "Whether a cost is the bill that was reported, or computed from tokens and list prices."
})
export type CostSource = typeof CostSource.Type

export const StepOutcome = wire({
  stepId: described(Identifier, "Your name of the step."),
  stepName: described(nullable(Prose(textLimits.stepName)), "The step's name for people."),
  outcome: described(Outcome, "How the step went."),
  signal: described(
    nullable(Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))),
    "Reward of the step; derived from `outcome` when left out."
  ),
  rationale: described(nullable(Prose(textLimits.stepProse)), "Why, for example which check verified it."),
  directiveHint: described(nullable(Prose(textLimits.stepProse)), "A hint for such tasks to come.")
}, { identifier: "StepOutcome", description: "How one step of an agent's run went." })
export type StepOutcome = typeof StepOutcome.Type

/** Step outcomes of one feedback that are read, count (specification, "Limits"). */
export const stepOutcomesMax = 32

/** Longest wait that a report may say the provider asked for, ms. */
const retryAfterMsMax = 600_000

export const FeedbackRequest = wire({
  recommendationId: described(Reference, "The id of a recommendation, or of a step of a workflow."),
  chosenModelId: described(
    nullable(Identifier),
    "The model that ran, which may differ from the recommended one. When left out, the model that was "
      + "reported last for the recommendation; before any report, the baseline of a decision in shadow, and "
      + "of any other decision the recommended model."
  ),
  outcome: described(Outcome, "How the call went."),
  qualityScore: described(
    nullable(Probability), "Quality of the result; 0.9, 0.5 or 0.1 by `outcome` when left out."
  ),
  evidenceSource: described(nullable(EvidenceSource), "Where the label comes from."),
  errorCause: described(
    nullable(ErrorCause),
    "Why the call failed. When left out, `infra` with a `provider_status` of 408, 409, 429 or 500 and more."
  ),
  providerStatus: described(
    nullable(Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 }))),
    "HTTP status with which the provider refused the call."
  ),
  retryAfterMs: described(
    nullable(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: retryAfterMsMax }))),
    "How long the provider asked to wait before the next call, in milliseconds."
  ),
  inputTokens: described(nullable(Tokens), "Input tokens that were billed."),
  cachedInputTokens: described(nullable(Tokens), "The part of `input_tokens` that a prompt cache held."),
  cacheWriteInputTokens: described(
    nullable(Tokens), "The part of `input_tokens` that was written to a prompt cache."
  ),
  cacheWriteHourInputTokens: described(
    nullable(Tokens), "The part of `cache_write_input_tokens` that the cache keeps for an hour."
  ),
  serviceTier: described(
    nullable(Identifier),
    "Service tier that the provider served the call in, as it names it: `flex`, `priority`, `batch`. When "
      + "left out, the usual one."
  ),
  webSearches: described(nullable(Tokens), "Web searches that the provider ran for the call, count."),
  outputTokens: described(nullable(Tokens), "Output tokens that were billed, reasoning tokens included."),
  reasoningTokens: described(nullable(Tokens), "The part of `output_tokens` that was spent on reasoning."),
  actualCostUsd: described(
    nullable(UsdSent),
    "Cost that was billed, in US dollars, not an estimate. An explicit 0 counts as a measurement."
  ),
  latencyMs: described(nullable(Millis), "Latency of the call, in milliseconds."),
  timeToFirstTokenMs: described(nullable(Millis), "Time to the first token of the answer, in milliseconds."),
  iterations: described(nullable(Millis), "Turns of an agent until the end."),
  signals: described(nullable(RunSignals), "Signals of an agent's run; they decide nothing."),
  chosenEffort: described(
    nullable(Identifier),
    "Level of reasoning effort that was used. Where a candidate of the recommendation is the model at one "
      + "level, it says which one the outcome is of; when left out there, the recommended one."
  ),
  stepOutcomes: described(
    defaulted(firstOf(StepOutcome, stepOutcomesMax), []),
    "How the steps of the run went; the first 32 are read."
  ),
  verifiedInProduction: described(
    defaulted(Schema.Boolean, false), "Deprecated: send `evidence_source` with `gate` instead."
  ),
  judged: described(nullable(Schema.Boolean), "Deprecated: false is `evidence_source` with `none`."),
  taskId,
  notes: described(nullable(Prose(textLimits.notes)), "Your notes on what went wrong or well."),
  idempotencyKey: described(
    nullable(Identifier),
    "Reports with the same key count once; derived from recommendation and model when left out."
  )
}, { identifier: "FeedbackRequest", description: "How a call went, and what it took." })
  .check(failsWithoutResult)
export type FeedbackRequest = typeof FeedbackRequest.Type

/** A feedback whose id has been read; null for a text that is the id of no recommendation. */
export type IdentifiedFeedback = Omit<FeedbackRequest, "recommendationId"> & {
  readonly recommendationId: RecommendationId | null
}

/** A feedback on the model that it names, or else on the model that ran. */
export type AttributedFeedback = FeedbackRequest & { readonly chosenModelId: string }

/** The status by which a provider limits the rate of calls. */
export const rateLimitStatus = 429

/**
 * Why the call failed: what the caller says, else `infra` by the provider's status. A success names no error.
 */
export const errorCauseOf = (
  { errorCause, outcome, providerStatus }: Pick<FeedbackRequest, "errorCause" | "outcome" | "providerStatus">
): ErrorCause | null => {
  if (errorCause !== null || outcome === "success" || providerStatus === null) return errorCause
  return [408, 409, rateLimitStatus].includes(providerStatus) || providerStatus >= 500 ? "infra" : null
}

/** The step outcomes that were read. */
export const readSteps = (
  { stepOutcomes }: Pick<FeedbackRequest, "stepOutcomes">
): ReadonlyArray<StepOutcome> => stepOutcomes.filter((step) => step !== null)

export const FeedbackResponse = wire({
  accepted: described(Schema.Boolean, "Whether the outcome is durable; `warnings` say why not."),
  recordId: described(Schema.NullOr(Schema.String), "Id of the record of outcomes that it went into."),
  reinforcedEntryIds: described(
    Schema.Array(Schema.String), "Entries of memory that were credited for the pick."
  ),
  updatedConfidence: described(
    Schema.NullOr(Figure), "Mean reliability of those entries afterwards; null when none was credited."
  ),
  reflectionTriggered: described(Schema.Boolean, "Whether a reflection on the lane was triggered."),
  lessonPromoted: described(Schema.Boolean, "Whether a lesson was promoted."),
  stepOutcomesRecorded: described(Schema.Int, "Step outcomes that went into memory, count."),
  costSource: described(
    nullable(CostSource), "Source of the cost of this model's call; null when no cost is known."
  ),
  computedCostUsd: described(
    nullable(Price), "That cost by list prices, in US dollars, where no bill was reported."
  ),
  warnings: described(FeedbackWarnings, "Changed or ignored parts of the report, and steps that failed.")
}, { identifier: "FeedbackResponse", description: "Result of a report." })
export type FeedbackResponse = typeof FeedbackResponse.Type

/**
 * The source of a label: an explicit one, or the caller's bare assertion, which teaches but is not trusted.
 */
export const Provenance = Schema.Literals(["gate", "judge", "human", "self_check", "none", "assertion"])
export type Provenance = typeof Provenance.Type

/** What a label of this source counts as: without a result every check would have failed. Null: not named. */
export const provenanceOfSource = (source: EvidenceSource | null): Provenance =>
  source === "no_result" ? "gate" : source ?? "assertion"

/** What memory keeps of a label's source: the agent's own check teaches it no more than usage alone. */
export const provenanceInMemory = (provenance: Provenance): MemoryProvenance =>
  provenance === "self_check" ? "none" : provenance

export const MemoryProvenance = Schema.Literals(["gate", "judge", "human", "none", "assertion"])
export type MemoryProvenance = typeof MemoryProvenance.Type

/** Whether a label of this source is trusted by itself: a gate or a person said so. */
export const isTrusted = (source: string): boolean => source === "gate" || source === "human"
