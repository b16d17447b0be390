/* Answers of a remote memory, with bounds, because predictions and costs are computed from them. */
import { Schema } from "effect"
import { outcomeFields } from "../../domain/feedback/OutcomeFields.ts"
import { Identifier, identifierLengthMax } from "../../domain/text/Text.ts"
import { textLimits } from "../../domain/text/TextLimits.ts"
import { Count, Probability } from "../../domain/Units.ts"
import { wire } from "../../domain/wire/Wire.ts"

/** The cosine of rounded vectors may exceed 1 slightly. */
const Cosine = Schema.Finite.check(Schema.isBetween({ minimum: -1.05, maximum: 1.05 }))
const AgeDays = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3_000_000 }))
/** A mean in [0, 1], where rounding errors of 1e-6 are accepted. */
const MeanShare = Schema.Finite.check(Schema.isBetween({ minimum: -1e-6, maximum: 1 + 1e-6 }))
/** Future moments have a negative age. */
const AgeHours = Schema.Finite.check(Schema.isBetween({ minimum: -1e8, maximum: 1e8 }))
const Weight = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))
const EntryId = Schema.String.check(Schema.isMaxLength(2 * identifierLengthMax))
export const Label = Schema.String.check(Schema.isMaxLength(identifierLengthMax))
const Sentence = Schema.String.check(Schema.isMaxLength(2 * textLimits.lessonContent))
/** Maximum number of rows of an answer: 64 candidates with a thousand neighbours each. */
const rowsMax = 64_000

const { tags: _tags, ...neighbourFields } = outcomeFields
const Neighbour = Schema.Struct({
  ...neighbourFields,
  entryId: EntryId,
  similarity: Cosine,
  reliability: Probability,
  ageDays: AgeDays,
  isStale: Schema.Boolean,
  currentShare: Probability,
  isCostOutlier: Schema.Boolean,
  actor: Schema.optionalKey(Schema.Finite)
})

const { cluster, costUsd, latencyMs, modelId, outputTokens, timeToFirstTokenMs } = outcomeFields
const Measurement = Schema.Struct({
  modelId, cluster, outputTokens, costUsd, latencyMs, timeToFirstTokenMs,
  similarity: Cosine,
  isCostOutlier: Schema.Boolean
})

/** The weight of the successes is at most that of all outcomes, except for rounding. */
const Tally = Schema.Struct({ weight: Weight, success: Weight }).check(
  Schema.makeFilter(({ success, weight }) =>
    success <= weight * (1 + 1e-9) + 1e-9 || "Expected no more success than weight")
)

const ModelShare = Schema.Finite.check(Schema.isBetween({ minimum: 1e-12, maximum: 1 }))
/** Maximum number of difficulties of a task type in an answer; this version has five. */
const difficultiesMax = 16

const levels = { lane: Tally, taskType: Tally, cluster: Tally, tags: Tally }

export const Recalled = Schema.Struct({
  neighbours: Schema.Array(Neighbour).check(Schema.isMaxLength(rowsMax)),
  measurements: Schema.Array(Measurement).check(Schema.isMaxLength(rowsMax)),
  /** The tallies are a list, not a record, because model ids are data. */
  tallies: Schema.Array(Schema.Struct({
    ...levels,
    modelId: Identifier,
    own: Schema.optionalKey(Schema.Struct(levels)),
    byDifficulty: Schema.optionalKey(
      Schema.Array(Schema.Struct({ tally: Tally, own: Tally, modelShare: ModelShare })).check(
        Schema.isMaxLength(difficultiesMax)
      )
    )
  })).check(Schema.isMaxLength(rowsMax)),
  laneSize: Count,
  // `embedderFailed` is present only if the memory's embedder failed.
  embedderFailed: Schema.optionalKey(Schema.Boolean)
})

export const Taught = wire({ recordId: Label, laneTaught: Count, reflectionTriggered: Schema.Boolean })

export const Reinforced = wire({
  entryIds: Schema.Array(EntryId).check(Schema.isMaxLength(64)),
  updatedConfidence: Schema.NullOr(MeanShare)
})

export const Recorded = wire({ recorded: Count })

export const StrategiesAnswer = wire({
  strategies: Schema.Array(wire({
    strategyId: EntryId,
    description: Sentence,
    supportingLessonCount: Count,
    avgConfidence: MeanShare,
    avgReinforcement: Schema.Finite.check(Schema.isBetween({ minimum: -1e12, maximum: 1e12 })),
    dominantLessonType: Label,
    dominantScope: Label,
    lessonIds: Schema.Array(EntryId).check(Schema.isMaxLength(10_000))
  })).check(Schema.isMaxLength(1_000))
})

export const DiagnosisAnswer = wire({
  lessons: Schema.Array(wire({
    lessonId: EntryId,
    content: Sentence,
    lessonType: Label,
    importance: Probability,
    confidence: Probability
  })).check(Schema.isMaxLength(1_000)),
  total: Count
})

export const HealthAnswer = wire({
  entryCounts: Schema.Record(Label, Count).check(Schema.isMaxProperties(100)),
  staleEntries: Count,
  contradictions: Count,
  lowConfidenceCount: Count,
  promotionCandidates: Count,
  sectionHealth: Schema.Array(wire({
    name: Label,
    count: Count,
    averageConfidence: Schema.NullOr(MeanShare),
    averageAgeHours: Schema.NullOr(AgeHours)
  })).check(Schema.isMaxLength(100))
})

/** Remaining validity of a key, ms; negative after it has expired. */
export const RemainingMs = Schema.Finite.check(Schema.isBetween({ minimum: -1e15, maximum: 1e15 }))

export const Endpoint = Sentence
