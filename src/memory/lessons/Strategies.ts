/* Groups lessons into strategies. */
import type { Strategy } from "../../domain/Lesson.ts"
import { nameOf, quoted } from "../../domain/text/Text.ts"
import { counted } from "../../domain/text/Words.ts"
import { approving, preferring } from "./LessonWords.ts"
import { breadth, outcomeTopic, type StoredLesson } from "./StoredLesson.ts"

const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const mostCommon = (values: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([left, a], [right, b]) => b - a || (left < right ? -1 : 1))[0]?.[0] ?? ""
}

/** Returns 3 if a reflection wrote a lesson of account scope, otherwise 2 for session scope, otherwise 0. */
const favourOf = (lessons: ReadonlyArray<StoredLesson>): number =>
  Math.max(...lessons.map(({ isReflected, scope }) => isReflected ? 1 + breadth[scope] : 0))

/**
 * Returns each cluster's preferred model: the one that lessons favour most, then the one with most lessons.
 */
const preferredOf = (lessons: ReadonlyArray<StoredLesson>): ReadonlyMap<string, string> => {
  const byCluster = Map.groupBy(
    lessons.filter(({ lessonType, topic }) => lessonType === "success" && topic === outcomeTopic),
    ({ cluster }) => cluster
  )
  return new Map([...byCluster].map(([cluster, all]) => {
    const [best] = [...Map.groupBy(all, ({ modelId }) => modelId)].sort(([left, a], [right, b]) =>
      favourOf(b) - favourOf(a) || b.length - a.length || (left < right ? -1 : 1))
    return [cluster, best?.[0] ?? ""]
  }))
}

/** Describes a group of lessons by its broadest reflected lesson, or else by its number of lessons. */
const describe = (
  first: StoredLesson,
  members: ReadonlyArray<StoredLesson>,
  isPreferred: boolean
): string => {
  const reflected = members.filter(({ isReflected }) => isReflected)
    .sort((a, b) => breadth[b.scope] - breadth[a.scope])[0]
  if (reflected !== undefined) {
    const { cluster, content, modelId } = reflected
    // A lesson of session scope may prefer another model than a lesson of account scope does.
    return isPreferred
      ? content
      : content.replace(preferring(cluster, modelId), () => approving(cluster, modelId))
  }
  const { cluster, error, lessonType, modelId } = first
  if (error !== null) {
    return `For ${cluster} ${nameOf(modelId)} failed ${counted(members.length, "time")} with the error,`
      + ` quoted: ${quoted(error.headline)}.`
  }
  if (lessonType === "success") {
    const successes = counted(members.length, "success lesson")
    return `${(isPreferred ? preferring : approving)(cluster, modelId)} ${successes}.`
  }
  return `For ${cluster} avoid ${nameOf(modelId)}: ${counted(members.length, "failure lesson")}.`
}

/**
 * Groups lessons by type, cluster, model and topic. Groups with more lessons come first, and among equals the
 * more confident ones. Superseded lessons are left out.
 */
export const strategiesOf = (
  lessons: ReadonlyArray<StoredLesson>,
  limit: number
): ReadonlyArray<Strategy> => {
  const current = lessons.filter(({ isSuperseded }) => !isSuperseded)
  const preferred = preferredOf(current)
  const groups = Map.groupBy(
    current,
    ({ cluster, lessonType, modelId, topic }) =>
      [lessonType, cluster, modelId, ...(topic === "outcome" ? [] : [topic])].join(":")
  )
  return [...groups].flatMap(([strategyId, members]): ReadonlyArray<Strategy> => {
    const first = members[0]
    if (first === undefined) return []
    return [{
      strategyId,
      description: describe(first, members, preferred.get(first.cluster) === first.modelId),
      supportingLessonCount: members.length,
      avgConfidence: mean(members.map(({ confidence }) => confidence)),
      avgReinforcement: mean(members.map(({ reinforcement }) => reinforcement)),
      dominantLessonType: first.lessonType,
      dominantScope: mostCommon(members.map(({ scope }) => scope)),
      lessonIds: members.map(({ lessonId }) => lessonId)
    }]
  }).sort((left, right) =>
    right.supportingLessonCount - left.supportingLessonCount ||
    right.avgConfidence - left.avgConfidence ||
    (left.strategyId < right.strategyId ? -1 : 1)
  ).slice(0, limit)
}
