/** The requests and answers about lessons: strategies, diagnosis, the health of a memory. */
import { Schema } from "effect"
import { Namespace } from "./Scope.ts"
import { Identifier, Prose } from "./text/Text.ts"
import { textLimits } from "./text/TextLimits.ts"
import { Figure } from "./Units.ts"
import { RecommendWarnings } from "./Warning.ts"
import { defaulted, nullable, wire } from "./Wire.ts"

export const Strategy = wire({
  strategyId: Schema.String,
  description: Schema.String,
  supportingLessonCount: Schema.Int,
  avgConfidence: Figure,
  avgReinforcement: Figure,
  dominantLessonType: Schema.String,
  dominantScope: Schema.String,
  lessonIds: Schema.Array(Schema.String)
}).annotate({ identifier: "Strategy" })
export type Strategy = typeof Strategy.Type

export const StrategiesResponse = wire({
  namespace: Schema.NullOr(Schema.String),
  lane: Schema.String,
  strategies: Schema.Array(Strategy),
  count: Schema.Int
}).annotate({ identifier: "StrategiesResponse" })
export type StrategiesResponse = typeof StrategiesResponse.Type

export const FailureLesson = wire({
  lessonId: Schema.String,
  content: Schema.String,
  lessonType: Schema.String,
  importance: Figure,
  confidence: Figure
}).annotate({ identifier: "FailureLesson" })
export type FailureLesson = typeof FailureLesson.Type

export const DiagnoseRequest = wire({
  errorText: Prose(textLimits.errorText).check(Schema.isMinLength(1)),
  errorType: nullable(Identifier),
  limit: defaulted(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 25 })), 5),
  namespace: nullable(Namespace),
  userId: nullable(Identifier)
}).annotate({ identifier: "DiagnoseRequest" })
export type DiagnoseRequest = typeof DiagnoseRequest.Type

export const DiagnoseResponse = wire({
  namespace: Schema.NullOr(Schema.String),
  lane: Schema.String,
  failureLessons: Schema.Array(FailureLesson),
  summary: Schema.String,
  totalFailureLessons: Schema.Int,
  warnings: RecommendWarnings
}).annotate({ identifier: "DiagnoseResponse" })
export type DiagnoseResponse = typeof DiagnoseResponse.Type

const SectionHealth = wire({
  name: Schema.String,
  count: Schema.Int,
  averageConfidence: Schema.NullOr(Figure),
  averageAgeHours: Schema.NullOr(Figure)
}).annotate({ identifier: "SectionHealth" })

export const MemoryHealthResponse = wire({
  namespace: Schema.NullOr(Schema.String),
  lane: Schema.String,
  entryCounts: Schema.Record(Schema.String, Schema.Int),
  staleEntries: Schema.Int,
  contradictions: Schema.Int,
  lowConfidenceCount: Schema.Int,
  promotionCandidates: Schema.Int,
  sectionHealth: Schema.Array(SectionHealth),
  warnings: RecommendWarnings
}).annotate({ identifier: "MemoryHealthResponse" })
export type MemoryHealthResponse = typeof MemoryHealthResponse.Type
