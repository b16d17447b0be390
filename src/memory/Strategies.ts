import type { Strategy } from "../domain/Lesson.ts"
import type { NewLesson } from "./Memory.ts"
import { groupBy } from "../stats/GroupBy.ts"

/** A kept lesson, with how often feedback has credited the record of its cluster and model. */
export interface KeptLesson extends Omit<NewLesson, "caller" | "lane" | "cluster"> {
  readonly cluster: string
  readonly reinforcement: number
}

const mean = (values: ReadonlyArray<number>): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const mostCommon = (values: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([left, a], [right, b]) => b - a || (left < right ? -1 : 1))[0]?.[0] ?? ""
}

const describe = (lessonType: string, cluster: string, modelId: string, count: number): string => {
  const lessons = count === 1 ? "1 lesson" : `${count} lessons`
  return lessonType === "success"
    ? `Prefer ${modelId} for ${cluster}: ${lessons} of success`
    : `Avoid ${modelId} for ${cluster}: ${lessons} of failure`
}

/** Lessons grouped by (type, cluster, model), the best supported first, then the most confident. */
export const strategiesOf = (lessons: ReadonlyArray<KeptLesson>, limit: number): ReadonlyArray<Strategy> => {
  const groups = groupBy(
    lessons,
    ({ lessonType, cluster, modelId }) => `${lessonType}:${cluster}:${modelId}`
  )
  return [...groups].flatMap(([strategyId, members]): ReadonlyArray<Strategy> => {
    const first = members[0]
    if (first === undefined) return []
    return [{
      strategyId,
      description: describe(first.lessonType, first.cluster, first.modelId, members.length),
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
