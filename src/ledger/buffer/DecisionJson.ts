/* A decision as JSON text, for the spool. */
import { Effect, Schema } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { DecisionBasis, SelectionPolicy } from "../../domain/Recommendation.ts"
import { RecommendationId } from "../../domain/RecommendationId.ts"
import { AccountId, Lane } from "../../domain/Scope.ts"
import { clusterOf, Difficulty, TaskType } from "../../domain/Task.ts"

const Finite = Schema.Finite
const Text = Schema.String

/**
 * All fields of {@link Decision} but the cluster, which follows from task type and difficulty. A field that a
 * later version adds must have a decoding default, or `spoolVersion` must grow: files of the version before
 * are read after an upgrade.
 */
const fields = {
  recommendationId: RecommendationId,
  workflowId: Schema.NullOr(Text),
  accountId: AccountId,
  createdAt: Schema.Date,
  lane: Lane,
  userId: Schema.NullOr(Text),
  taskExcerpt: Text,
  taskVectors: Schema.optionalKey(Schema.Array(Schema.Struct({
    embedder: Text, scale: Finite, vector: Text
  }))),
  taskType: TaskType,
  difficulty: Difficulty,
  tags: Schema.Array(Text),
  recommendedModelId: Text,
  predictedSuccess: Finite,
  threshold: Finite,
  decisionBasis: DecisionBasis,
  selectionPolicy: SelectionPolicy,
  propensity: Finite,
  isExploration: Schema.Boolean,
  isEscalated: Schema.Boolean,
  // Absent in the files of versions before migration 27.
  isShadow: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  // Absent in the files of versions before migration 31.
  guaranteeBaselineId: Schema.NullOr(Text).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  guaranteeCandidateId: Schema.NullOr(Text).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  costRecommendedUsd: Finite,
  // Absent in the files of versions before migration 36.
  costMarginUsd: Schema.NullOr(Finite).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  costPremiumUsd: Finite,
  baselineModelId: Schema.NullOr(Text),
  costDeclaredUsd: Schema.NullOr(Finite),
  candidates: Schema.Array(Schema.Struct({
    modelId: Text, predictedSuccess: Finite, estCostUsd: Finite, isEligible: Schema.Boolean
  })),
  neighbours: Schema.Array(Schema.Struct({ entryId: Text, modelId: Text, weight: Finite })),
  forecasts: Schema.Array(Schema.Struct({
    modelId: Text, base: Finite, cells: Finite, local: Finite, mixed: Finite
  })),
  meanSimilarity: Schema.NullOr(Finite),
  highSimilarity: Schema.NullOr(Finite),
  warnings: Schema.Array(Text),
  catalogVersion: Text,
  latencyMs: Finite,
  reasonerCostUsd: Schema.NullOr(Finite)
} satisfies Record<Exclude<keyof Decision, "cluster">, unknown>

const Spooled = Schema.Struct(fields)

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.toCodecJson(Spooled)))

export const decisionToJson = (decision: Decision): string => JSON.stringify(decision)

/** The decision in a JSON text; null when this version cannot read it. */
export const decisionFromJson = (text: string): Decision | null => {
  const spooled = decode(text)
  if (spooled._tag === "None") return null
  const { difficulty, taskType } = spooled.value
  return { ...spooled.value, cluster: clusterOf(taskType, difficulty) }
}
