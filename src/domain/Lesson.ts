/** Requests and answers about lessons: strategies, diagnosis, and the health of a memory. */
import { Schema } from "effect"
import { Namespace } from "./Scope.ts"
import { Identifier, Prose } from "./text/Text.ts"
import { textLimits } from "./text/TextLimits.ts"
import { Figure } from "./Units.ts"
import { RecommendWarnings } from "./Warning.ts"
import { defaulted, described, nullable, wire } from "./wire/Wire.ts"

const ofLane = {
  namespace: described(
    Schema.NullOr(Schema.String), "The requested namespace; null for the lane `sextant:default`."
  ),
  lane: described(Schema.String, "The lane of the namespace.")
}

export const Strategy = wire({
  strategyId: described(Schema.String, "Id of the strategy."),
  description: described(Schema.String, "The rule, in words."),
  supportingLessonCount: described(Schema.Int, "Lessons that support the rule, count."),
  avgConfidence: described(Figure, "Mean confidence of the supporting lessons, in [0, 1]."),
  avgReinforcement: described(
    Figure, "Mean number of votes of later outcomes for the model's outcomes on this kind of task."
  ),
  dominantLessonType: described(Schema.String, "Most frequent type of the supporting lessons."),
  dominantScope: described(Schema.String, "Most frequent scope of the supporting lessons."),
  lessonIds: described(Schema.Array(Schema.String), "Ids of the supporting lessons.")
}, { identifier: "Strategy", description: "A rule that the outcomes of a lane support." })
export type Strategy = typeof Strategy.Type

export const StrategiesResponse = wire({
  ...ofLane,
  strategies: described(Schema.Array(Strategy), "The rules, best supported first."),
  count: described(Schema.Int, "Strategies in this answer, count.")
}, { identifier: "StrategiesResponse", description: "The rules of a lane." })
export type StrategiesResponse = typeof StrategiesResponse.Type

export const FailureLesson = wire({
  lessonId: described(Schema.String, "Id of the lesson."),
  content: described(Schema.String, "The lesson, in words."),
  lessonType: described(Schema.String, "Type of the lesson, such as `failure`."),
  importance: described(Figure, "Importance of the lesson, in [0, 1]."),
  confidence: described(Figure, "Confidence in the lesson, in [0, 1].")
}, { identifier: "FailureLesson", description: "A lesson from a failure." })
export type FailureLesson = typeof FailureLesson.Type

export const DiagnoseRequest = wire({
  errorText: described(
    Prose(textLimits.errorText).check(Schema.isMinLength(1)), "The text of the error, not empty."
  ),
  errorType: described(nullable(Identifier), "Type of the error, as a hint."),
  limit: described(
    defaulted(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 25 })), 5),
    "Maximum number of lessons in the answer."
  ),
  namespace: described(
    nullable(Namespace), "The namespace whose lane is searched; null for the lane `sextant:default`."
  ),
  userId: described(
    nullable(Identifier), "An actor within the account. Failures of other actors are not searched."
  )
}, { identifier: "DiagnoseRequest", description: "A search for earlier failures that explain an error." })
export type DiagnoseRequest = typeof DiagnoseRequest.Type

export const DiagnoseResponse = wire({
  ...ofLane,
  failureLessons: described(Schema.Array(FailureLesson), "Lessons that match, best first."),
  summary: described(Schema.String, "Summary of the matching lessons."),
  totalFailureLessons: described(Schema.Int, "Matching lessons, count. This number can exceed `limit`."),
  warnings: described(RecommendWarnings, "`memory_unavailable` if memory could not be read.")
}, { identifier: "DiagnoseResponse", description: "Earlier failures that resemble the error." })
export type DiagnoseResponse = typeof DiagnoseResponse.Type

const SectionHealth = wire({
  name: described(Schema.String, "Kind of entries."),
  count: described(Schema.Int, "Entries of the kind."),
  averageConfidence: described(Schema.NullOr(Figure), "Mean reliability, in [0, 1]; null without entries, "
    + "and for kinds without a reliability."),
  averageAgeHours: described(Schema.NullOr(Figure), "Mean age, in hours; null without entries.")
}, { identifier: "SectionHealth", description: "Number, reliability and age of one kind of memory entries." })

const EntryCounts = Schema.Record(Schema.String, Schema.Int).annotate({
  identifier: "EntryCounts", description: "Entries by kind, counts."
})

export const MemoryHealthResponse = wire({
  ...ofLane,
  entryCounts: described(EntryCounts, "Entries by kind, counts."),
  staleEntries: described(
    Schema.Int, "Outcomes, lessons and steps older than the requested number of days, count."
  ),
  contradictions: described(
    Schema.Int,
    "Contradictions about a model on one kind of task, count. Lessons, or labels of gates and people, both "
      + "praise and blame the model."
  ),
  lowConfidenceCount: described(Schema.Int, "Outcomes and lessons with a reliability below 0.5, count."),
  promotionCandidates: described(
    Schema.Int, "Strong successes that a gate verified, of models without a lesson on that kind of task, "
      + "count."
  ),
  sectionHealth: described(Schema.Array(SectionHealth), "Number, reliability and age of each kind of memory "
    + "entries."),
  warnings: described(RecommendWarnings, "`memory_unavailable` if memory could not be read.")
}, { identifier: "MemoryHealthResponse", description: "The state of a lane's memory." })
export type MemoryHealthResponse = typeof MemoryHealthResponse.Type
