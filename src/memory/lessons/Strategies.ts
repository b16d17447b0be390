/* Strategies: lessons grouped by what they recommend. */
import type { Strategy } from "../../domain/Lesson.ts"
import { nameOf, quoted } from "../../domain/text/Text.ts"
import { counted } from "../../domain/text/Words.ts"
import { breadth, type StoredLesson } from "./StoredLesson.ts"

const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const mostCommon = (values: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([left, a], [right, b]) => b - a || (left < right ? -1 : 1))[0]?.[0] ?? ""
}

/**
 * Whether reflection names a model to prefer in this cluster: lessons about others must not say `prefer` too.
 */
const isJudged = ({ isReflected, lessonType, topic }: StoredLesson): boolean =>
  isReflected && lessonType === "success" && topic === "outcome"

/**
 * The sentence of a strategy: reflection's, with its figures, from the broadest scope; otherwise a count of
 * the single lessons.
 */
const describe = (
  first: StoredLesson,
  members: ReadonlyArray<StoredLesson>,
  judgedClusters: ReadonlySet<string>
): string => {
  const reflected = members.filter(({ isReflected }) => isReflected)
    .sort((a, b) => breadth[b.scope] - breadth[a.scope])[0]
  if (reflected !== undefined) return reflected.content
  const { cluster, error, lessonType, modelId } = first
  if (error !== null) {
    return `For ${cluster} ${nameOf(modelId)} failed ${counted(members.length, "time")} with the error,`
      + ` quoted: ${quoted(error.headline)}.`
  }
  if (lessonType === "success") {
    const successes = counted(members.length, "success lesson")
    return judgedClusters.has(cluster)
      ? `For ${cluster} ${nameOf(modelId)} has worked too: ${successes}.`
      : `For ${cluster} prefer ${nameOf(modelId)}: ${successes}.`
  }
  return `For ${cluster} avoid ${nameOf(modelId)}: ${counted(members.length, "failure lesson")}.`
}

/**
 * Lessons grouped by cluster, model and what they say, the best supported group first, then the most
 * confident. Superseded lessons are left out.
 */
export const strategiesOf = (
  lessons: ReadonlyArray<StoredLesson>,
  limit: number
): ReadonlyArray<Strategy> => {
  const current = lessons.filter(({ isSuperseded }) => !isSuperseded)
  const judgedClusters = new Set(current.filter(isJudged).map(({ cluster }) => cluster))
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
      description: describe(first, members, judgedClusters),
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
