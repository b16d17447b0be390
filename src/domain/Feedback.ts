/* The request and the answer of a feedback. */
import { Schema } from "effect"
import type { RecommendationId } from "./RecommendationId.ts"
import { firstOf } from "./text/Lists.ts"
import { Identifier, Prose, Reference } from "./text/Text.ts"
import { textLimits } from "./text/TextLimits.ts"
import { Figure, Millis, Price, Probability, Tokens, UsdSent } from "./Units.ts"
import { FeedbackWarnings } from "./Warning.ts"
import { defaulted, nullable, wire } from "./Wire.ts"

export const Outcome = Schema.Literals(["success", "partial", "failure"]).annotate({ identifier: "Outcome" })
export type Outcome = typeof Outcome.Type

export const EvidenceSource = Schema.Literals(["gate", "judge", "human", "none"])
  .annotate({ identifier: "EvidenceSource" })
export type EvidenceSource = typeof EvidenceSource.Type

export const ErrorCause = Schema.Literals(["infra", "quality"]).annotate({ identifier: "ErrorCause" })
export type ErrorCause = typeof ErrorCause.Type

/** Whether a cost is the bill that the caller reported, or computed from its tokens and list prices. */
export const CostSource = Schema.Literals(["reported", "computed"]).annotate({ identifier: "CostSource" })
export type CostSource = typeof CostSource.Type

export const StepOutcome = wire({
  stepId: Identifier,
  stepName: nullable(Prose(textLimits.stepName)),
  outcome: Outcome,
  signal: nullable(Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))),
  rationale: nullable(Prose(textLimits.stepProse)),
  directiveHint: nullable(Prose(textLimits.stepProse))
}).annotate({ identifier: "StepOutcome" })
export type StepOutcome = typeof StepOutcome.Type

/** Step outcomes of one feedback that are read, count (specification, "Limits"). */
export const stepOutcomesMax = 32

export const FeedbackRequest = wire({
  /** Of whatever length: an id that is not one of ours is unknown, which is no error. */
  recommendationId: Reference,
  chosenModelId: Identifier,
  outcome: Outcome,
  qualityScore: nullable(Probability),
  evidenceSource: nullable(EvidenceSource),
  errorCause: nullable(ErrorCause),
  inputTokens: nullable(Tokens),
  /** The part of `input_tokens` that a prompt cache held. */
  cachedInputTokens: nullable(Tokens),
  outputTokens: nullable(Tokens),
  /** The part of `output_tokens` that the model spent on reasoning. */
  reasoningTokens: nullable(Tokens),
  actualCostUsd: nullable(UsdSent),
  latencyMs: nullable(Millis),
  timeToFirstTokenMs: nullable(Millis),
  iterations: nullable(Millis),
  chosenEffort: nullable(Identifier),
  /** The first {@link stepOutcomesMax}; null stands for one past them, which is counted and not read. */
  stepOutcomes: defaulted(firstOf(StepOutcome, stepOutcomesMax), []),
  verifiedInProduction: defaulted(Schema.Boolean, false),
  judged: nullable(Schema.Boolean),
  notes: nullable(Prose(textLimits.notes)),
  idempotencyKey: nullable(Identifier)
}).annotate({ identifier: "FeedbackRequest" })
export type FeedbackRequest = typeof FeedbackRequest.Type

/** A feedback whose id has been read; null for a text that is the id of no recommendation. */
export type IdentifiedFeedback = Omit<FeedbackRequest, "recommendationId"> & {
  readonly recommendationId: RecommendationId | null
}

/** The step outcomes that were read. */
export const readSteps = (
  { stepOutcomes }: Pick<FeedbackRequest, "stepOutcomes">
): ReadonlyArray<StepOutcome> => stepOutcomes.filter((step) => step !== null)

export const FeedbackResponse = wire({
  accepted: Schema.Boolean,
  recordId: Schema.NullOr(Schema.String),
  reinforcedEntryIds: Schema.Array(Schema.String),
  updatedConfidence: Schema.NullOr(Figure),
  reflectionTriggered: Schema.Boolean,
  lessonPromoted: Schema.Boolean,
  stepOutcomesRecorded: Schema.Int,
  /** What the cost of the decision's call on this model rests on; null when no cost is known. */
  costSource: nullable(CostSource),
  /** That cost by list prices, where no bill was reported. */
  computedCostUsd: nullable(Price),
  warnings: FeedbackWarnings
}).annotate({ identifier: "FeedbackResponse" })
export type FeedbackResponse = typeof FeedbackResponse.Type

/**
 * The source of a label: an explicit one, or the caller's bare assertion, which teaches but is not trusted.
 */
export type Provenance = EvidenceSource | "assertion"
