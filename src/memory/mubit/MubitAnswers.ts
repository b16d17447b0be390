/* Translates the hosted backend's answers on lessons and health into the terms of our own API. */
import type { FailureLesson, Strategy } from "../../domain/Lesson.ts"
import type { HealthCounts } from "../Memory.ts"
import {
  countOf,
  type Fields,
  fieldsOf,
  idMax,
  idOf,
  listOf,
  numberOf,
  shareOf,
  textOf
} from "./MubitFields.ts"
import { oursOf } from "./MubitItems.ts"

/** Belief in a lesson, and its importance, of which the backend says nothing, in [0, 1]. */
const unsaid = 0.5

const importanceWords = new Map([["low", 0.25], ["medium", 0.5], ["high", 0.75], ["critical", 1]])

/** Importance is a number or a word. */
const importanceOf = (fields: Fields): number =>
  shareOf(fields, "importance") ?? importanceWords.get(textOf(fields, "importance") ?? "") ?? unsaid

/** A strategy without words or without a name says nothing. */
export const strategyOf = (item: unknown): Strategy | null => {
  const fields = fieldsOf(item)
  const strategyId = idOf(fields, "strategy_id", "id")
  const description = textOf(fields, "description", "content")
  if (strategyId === null || description === null) return null
  const lessonIds = listOf(fields["lesson_ids"])
    .filter((id): id is string => typeof id === "string" && id.length <= idMax).slice(0, 1_000)
  return {
    strategyId,
    description,
    supportingLessonCount: countOf(fields, "supporting_lesson_count", "lesson_ids"),
    avgConfidence: shareOf(fields, "avg_confidence", "confidence") ?? unsaid,
    avgReinforcement: numberOf(fields, "avg_reinforcement") ?? 0,
    dominantLessonType: textOf(fields, "dominant_lesson_type", "lesson_type") ?? "success",
    dominantScope: textOf(fields, "dominant_scope", "scope") ?? "run",
    lessonIds
  }
}

/** A failure lesson and its actor, null where it has none; null for a lesson without words or a name. */
export const failureLessonOf = (
  item: unknown
): { readonly lesson: FailureLesson; readonly userId: string | null } | null => {
  const fields = fieldsOf(item)
  const ours = oursOf(fields) ?? {}
  const lessonId = idOf(ours, "lessonId") ?? idOf(fields, "lesson_id", "id")
  const content = textOf(fields, "content", "description")
  if (lessonId === null || content === null) return null
  return {
    lesson: {
      lessonId,
      content,
      lessonType: textOf(fields, "lesson_type") ?? textOf(ours, "lessonType") ?? "failure",
      importance: shareOf(ours, "importance") ?? importanceOf(fields),
      confidence: shareOf(fields, "confidence", "knowledge_confidence")
        ?? shareOf(ours, "confidence") ?? unsaid
    },
    userId: textOf(ours, "userId")
  }
}

/** Most kinds of entries that are reported, count. */
const sectionsMax = 100

/** Counts, where the backend may give the list of what it counts. */
export const healthOf = (fields: Fields): HealthCounts => {
  const counts = fieldsOf(fields["entry_counts"])
  return {
    entryCounts: Object.fromEntries(
      Object.keys(counts).filter(({ length }) => length <= idMax).slice(0, sectionsMax)
        .map((name) => [name, countOf(counts, name)])
    ),
    staleEntries: countOf(fields, "stale_entries"),
    contradictions: countOf(fields, "contradictions"),
    lowConfidenceCount: countOf(fields, "low_confidence_count", "low_confidence_entries", "low_confidence"),
    promotionCandidates: countOf(fields, "promotion_candidates"),
    sectionHealth: listOf(fields["section_health"]).slice(0, sectionsMax).flatMap((item) => {
      const section = fieldsOf(item)
      const name = textOf(section, "name", "section")
      return name === null ? [] : [{
        name,
        count: countOf(section, "count", "entries"),
        averageConfidence: shareOf(section, "average_confidence", "avg_confidence"),
        averageAgeHours: numberOf(section, "average_age_hours", "avg_age_hours")
      }]
    })
  }
}
