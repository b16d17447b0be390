/* Resolves contradictions between success and failure lessons. */
import type { ReflectionRule } from "../MemorySettings.ts"
import type { OutcomeCell } from "./LaneFacts.ts"
import { isDirectional, type StoredLesson, pairOf } from "./StoredLesson.ts"

export interface ResolvedLesson {
  readonly lessonId: string
  readonly confidence: number
  readonly isSuperseded: boolean
}

export type WeighedLesson = Pick<
  StoredLesson,
  "lessonId" | "lessonType" | "scope" | "topic" | "cluster" | "modelId" | "baseConfidence"
>

/**
 * Resolves contradictions between success and failure lessons about a model in a cluster. A contradicted
 * success lesson's confidence is multiplied by the successes' share of the outcomes' weight, a failure
 * lesson's by the failures' share. If the model has no outcomes in the cluster, the lessons' confidences
 * give the shares. A contradicted lesson is superseded if its type's share is below `supersededShareMax`.
 */
export const resolveContradictions = (
  lessons: ReadonlyArray<WeighedLesson>,
  cells: ReadonlyArray<OutcomeCell>,
  rule: ReflectionRule
): ReadonlyArray<ResolvedLesson> => {
  const cellByPair = new Map(cells.map((cell) => [pairOf(cell), cell]))
  return [...Map.groupBy(lessons.filter(isDirectional), pairOf)].flatMap(([pair, group]) => {
    const cell = cellByPair.get(pair)
    const said = (type: "success" | "failure") => group.filter(({ lessonType }) => lessonType === type)
    const sum = (side: ReadonlyArray<WeighedLesson>) =>
      side.reduce((total, { baseConfidence }) => total + baseConfidence, 0)
    const successes = cell === undefined ? sum(said("success")) : cell.success
    const failures = cell === undefined ? sum(said("failure")) : cell.weight - cell.success
    const total = successes + failures
    const isContradiction = said("success").length > 0 && said("failure").length > 0 && total > 0
    return group.map(({ baseConfidence, lessonId, lessonType }): ResolvedLesson => {
      if (!isContradiction) return { lessonId, confidence: baseConfidence, isSuperseded: false }
      const share = Math.min(1, Math.max(0, (lessonType === "success" ? successes : failures) / total))
      return { lessonId, confidence: baseConfidence * share, isSuperseded: share < rule.supersededShareMax }
    })
  })
}
