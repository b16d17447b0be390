/*
 * Schemas of what a remote memory answers, bounded as tightly as what a caller sends: an answer with a
 * number, a text or a list beyond its bounds is refused, because it would go into predictions and costs.
 */
import { Schema } from "effect"
import { outcomeFields } from "../../domain/feedback/OutcomeFields.ts"
import { Identifier, identifierLengthMax } from "../../domain/text/Text.ts"
import { textLimits } from "../../domain/text/TextLimits.ts"
import { Count, Probability } from "../../domain/Units.ts"
import { wire } from "../../domain/wire/Wire.ts"

/** A cosine of quantised vectors may pass 1 by their rounding. */
const Cosine = Schema.Finite.check(Schema.isBetween({ minimum: -1.05, maximum: 1.05 }))
/** Days between the first and the last moment that an outcome may have. */
const AgeDays = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3_000_000 }))
/** A mean of shares may pass their bounds by a rounding. */
const MeanShare = Schema.Finite.check(Schema.isBetween({ minimum: -1e-6, maximum: 1 + 1e-6 }))
/** A mean age, between the first and the last moment that an outcome may have; below 0 for future ones. */
const AgeHours = Schema.Finite.check(Schema.isBetween({ minimum: -1e8, maximum: 1e8 }))
/** Decayed weights of outcomes, each at most 1. */
const Weight = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))
const EntryId = Schema.String.check(Schema.isMaxLength(2 * identifierLengthMax))
export const Label = Schema.String.check(Schema.isMaxLength(identifierLengthMax))
const Sentence = Schema.String.check(Schema.isMaxLength(2 * textLimits.lessonContent))
/** 64 candidates with a thousand neighbours each. */
const rowsMax = 64_000

const { tags: _tags, ...neighbourFields } = outcomeFields
// What recall answers is spelled as in code: renaming the fields of 512 neighbours took 9 ms, this takes 0.3.
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

/** More success than weight would be more than certain. */
const Tally = Schema.Struct({ weight: Weight, success: Weight }).check(
  Schema.makeFilter(({ success, weight }) =>
    success <= weight * (1 + 1e-9) + 1e-9 || "Expected no more success than weight")
)

const ModelShare = Schema.Finite.check(Schema.isBetween({ minimum: 1e-12, maximum: 1 }))
/** More difficulties of one task type than there are. */
const difficultiesMax = 16

const levels = { lane: Tally, taskType: Tally, cluster: Tally, tags: Tally }

export const Recalled = Schema.Struct({
  neighbours: Schema.Array(Neighbour).check(Schema.isMaxLength(rowsMax)),
  measurements: Schema.Array(Measurement).check(Schema.isMaxLength(rowsMax)),
  /** Pairs rather than a record: a model's id is data, not a key of ours. */
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
  // Only there where an embeddings endpoint is configured.
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

/** How long a key is good for; below 0 once it is not. */
export const RemainingMs = Schema.Finite.check(Schema.isBetween({ minimum: -1e15, maximum: 1e15 }))

/** Where the account's memory is. */
export const Endpoint = Sentence
