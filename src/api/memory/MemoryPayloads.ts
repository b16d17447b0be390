/* Queries and writes for a remote memory, which name no account, because the key does. */
import { Schema } from "effect"
import { MemoryProvenance, Outcome } from "../../domain/feedback/Feedback.ts"
import { outcomeFields } from "../../domain/feedback/OutcomeFields.ts"
import { Lane } from "../../domain/Scope.ts"
import { Cluster, Difficulty, TaskExcerpt, TaskType } from "../../domain/Task.ts"
import { listOf } from "../../domain/text/Lists.ts"
import { Identifier, identifierLengthMax, Prose, scrub } from "../../domain/text/Text.ts"
import { textLimits } from "../../domain/text/TextLimits.ts"
import { Probability } from "../../domain/Units.ts"
import { wire } from "../../domain/wire/Wire.ts"

/** The full name of a lane: the service's prefix and a namespace. */
const LaneSent = Lane.check(
  Schema.isMaxLength(identifierLengthMax + 32),
  Schema.makeFilter((lane: string) => scrub(lane) === lane || "Expected text without NUL or lone surrogates")
)
/** Times before 1970 or after the year 9999 are refused, because stores disagree on extreme years. */
const Moment = Schema.Date.check(
  Schema.isBetweenDate({
    minimum: new Date("1970-01-01T00:00:00Z"),
    maximum: new Date("9999-12-31T23:59:59.999Z")
  })
)
const EpochMs = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 8.64e15 }))
const Tags = listOf(Identifier, { max: 64 })
const Id = Schema.String.check(Schema.isUUID())
const count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const Revision = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 53 - 1 }))

export const RecallQuery = wire({
  lane: LaneSent,
  task: TaskExcerpt,
  cluster: Cluster,
  tags: Tags,
  userId: Schema.NullOr(Identifier),
  modelIds: listOf(Identifier, { max: 1_000 }),
  perModel: count(1_000),
  /** Pairs of a model and the time of its last restart, ms since 1970. */
  restarts: listOf(Schema.Tuple([Identifier, EpochMs]), { max: 1_000 })
})

export const Observation = wire({
  ...outcomeFields,
  lane: LaneSent,
  observationId: Id,
  task: TaskExcerpt,
  taskType: TaskType,
  difficulty: Difficulty,
  tags: Tags,
  userId: Schema.NullOr(Identifier),
  outcome: Outcome,
  provenance: MemoryProvenance,
  isCostOutlier: Schema.Boolean,
  occurredAt: Moment,
  revision: Revision,
  verdictRevision: Revision,
  teaches: Schema.Boolean
})

export const Reinforcement = wire({
  lane: LaneSent,
  reinforcementId: Id,
  revision: Revision,
  entryIds: listOf(Schema.String, { max: 64 }),
  quality: Probability,
  userId: Schema.NullOr(Identifier),
  occurredAt: Moment
})

/** A step with its reward, whose `signal` is required, unlike in a feedback. */
const StepReward = wire({
  stepId: Identifier,
  stepName: Schema.NullOr(Prose(textLimits.stepName)),
  outcome: Outcome,
  signal: Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 })),
  rationale: Schema.NullOr(Prose(textLimits.stepProse)),
  directiveHint: Schema.NullOr(Prose(textLimits.stepProse))
})

export const StepRewards = wire({
  lane: LaneSent,
  recommendationId: Identifier,
  cluster: Cluster,
  modelId: Identifier,
  steps: listOf(StepReward, { max: 64 }),
  occurredAt: Moment
})

export const NewLesson = wire({
  lane: LaneSent,
  lessonId: Identifier,
  revision: Revision,
  lessonType: Schema.Literals(["success", "failure"]),
  scope: Schema.Literals(["run", "session", "account"]),
  content: Prose(textLimits.lessonContent),
  cluster: Cluster,
  modelId: Identifier,
  importance: Probability,
  confidence: Probability,
  occurredAt: Moment,
  errorText: Schema.NullOr(Prose(textLimits.errorText)),
  userId: Schema.NullOr(Identifier)
})

export const StrategiesQuery = wire({
  lane: LaneSent,
  lessonTypes: listOf(Identifier, { max: 64 }),
  limit: count(1_000)
})

export const DiagnoseQuery = wire({
  lane: LaneSent,
  errorText: Prose(textLimits.errorText),
  errorType: Schema.NullOr(Identifier),
  userId: Schema.NullOr(Identifier),
  limit: count(1_000)
})

export const HealthQuery = wire({
  lane: LaneSent,
  staleThresholdDays: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
})
