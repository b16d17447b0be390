/*
 * The items that the hosted backend stores for us. It embeds and ranks their text; everything else that a
 * recall needs is in their metadata, under a name that no other client of the backend uses.
 */
import { Effect, Option, Schema } from "effect"
import { Moment } from "../../api/memory/MemoryPayloads.ts"
import { Outcome, Provenance } from "../../domain/Feedback.ts"
import { outcomeFields } from "../../domain/OutcomeFields.ts"
import { Lane } from "../../domain/Scope.ts"
import { excerptOf } from "../../domain/Task.ts"
import { Identifier } from "../../domain/text/Text.ts"
import { cut, cutOrNull, textLimits } from "../../domain/text/TextLimits.ts"
import type { NewLesson, Observation } from "../MemoryWrite.ts"
import { type Fields, fieldsOf, parsed } from "./MubitFields.ts"

const marker = "sextant"

/** An outcome as its metadata spells it: as in code, because renaming fields would cost each recall time. */
const OutcomeMetadata = Schema.toCodecJson(Schema.Struct({
  ...outcomeFields,
  kind: Schema.Literal("outcome"),
  observationId: Identifier,
  lane: Lane,
  userId: Schema.NullOr(Identifier),
  outcome: Outcome,
  provenance: Provenance,
  // Entries of earlier versions say nothing of it.
  isCostOutlier: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  occurredAt: Moment,
  teaches: Schema.Boolean
}))
export type OutcomeMetadata = typeof OutcomeMetadata.Type

const encodeOutcome = Schema.encodeSync(OutcomeMetadata)
const decodeOutcome = Schema.decodeUnknownOption(OutcomeMetadata)

/** What is ours in an entry's metadata; null when it is not of our making. The backend may wrap it again. */
export const oursOf = (entry: Fields): Fields | null => {
  let metadata = entry["metadata_json"] ?? entry["metadata"]
  for (let depth = 0; depth < 3; depth++) {
    const fields = fieldsOf(typeof metadata === "string" ? parsed(metadata) : metadata)
    if (fields[marker] !== undefined) return fieldsOf(fields[marker])
    metadata = fields["metadata_json"] ?? fields["metadata"]
  }
  return null
}

/** Whether an entry says that it is another lane's; one that is not of our making says nothing of it. */
export const isElsewhere = (entry: unknown, { lane }: { readonly lane: Lane }): boolean => {
  const said = oursOf(fieldsOf(entry))?.["lane"]
  return said !== undefined && said !== lane
}

/** The outcome that an entry holds: `other` when it holds none of ours, `broken` when it cannot be read. */
export const outcomeOf = (entry: Fields): OutcomeMetadata | "other" | "broken" => {
  const ours = oursOf(entry)
  if (ours === null || ours["kind"] !== "outcome") return "other"
  return Option.getOrElse(decodeOutcome(ours), () => "broken" as const)
}

/** Metadata as the backend keeps it, a text: ours, beside what it may read itself. */
const metadataOf = (ours: Fields, theirs: Fields = {}): string =>
  JSON.stringify({ ...theirs, [marker]: ours })

/** Outcomes that taught are the backend's facts; a recall asks for those alone. */
export const outcomeIntent = "fact"
/** What is kept and never a neighbour. */
const keptIntent = "trace"
const lessonIntent = "lesson"

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1_000)

/** One outcome as an item; sent again it is the same entry. */
export const outcomeItem = (observation: Observation): Fields => ({
  item_id: observation.observationId,
  upsert_key: observation.observationId,
  content_type: "text",
  // An account that keeps no words of its tasks has none here.
  text: observation.task === ""
    ? `Outcome of ${observation.modelId} at ${observation.cluster}`
    : excerptOf(observation.task),
  metadata_json: metadataOf(fieldsOf(encodeOutcome({ ...observation, kind: "outcome" }))),
  intent: observation.teaches ? outcomeIntent : keptIntent,
  importance: "medium",
  lane: observation.lane,
  env_tags: observation.tags,
  occurrence_time: secondsOf(observation.occurredAt)
})

/** The name of the durable record of (cluster, model). */
export const recordKeyOf = ({ cluster, modelId }: Pick<Observation, "cluster" | "modelId">): string =>
  `record:${cluster}:${modelId}`

/** That record, the same entry for every outcome of the pair. */
export const recordItem = ({ cluster, lane, modelId }: Observation): Fields => ({
  item_id: recordKeyOf({ cluster, modelId }),
  upsert_key: recordKeyOf({ cluster, modelId }),
  content_type: "text",
  text: `Outcomes of ${modelId} at ${cluster}`,
  metadata_json: metadataOf({ kind: "record", lane, cluster, modelId }),
  intent: keptIntent,
  importance: "low",
  lane
})

const importanceWordOf = (importance: number): string =>
  importance < 1 / 3 ? "low" : importance < 2 / 3 ? "medium" : "high"

/** A lesson, in the backend's own words as far as it has some. */
export const lessonItem = (lesson: NewLesson): Fields => ({
  item_id: `lesson:${lesson.lessonId}`,
  upsert_key: `lesson:${lesson.lessonId}`,
  content_type: "text",
  text: cut(lesson.content, textLimits.lessonContent),
  metadata_json: metadataOf({
    kind: "lesson",
    lessonId: lesson.lessonId,
    lane: lesson.lane,
    lessonType: lesson.lessonType,
    cluster: lesson.cluster,
    modelId: lesson.modelId,
    importance: lesson.importance,
    confidence: lesson.confidence,
    userId: lesson.userId,
    errorText: cutOrNull(lesson.errorText, textLimits.errorText)
  }, {
    entry_type: lessonIntent,
    lesson_type: lesson.lessonType,
    lesson_scope: lesson.scope === "account" ? "global" : lesson.scope
  }),
  intent: lessonIntent,
  importance: importanceWordOf(lesson.importance),
  lane: lesson.lane,
  occurrence_time: secondsOf(lesson.occurredAt)
})
