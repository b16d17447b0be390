/* Reflection of the in-process memory. */
import { resolveContradictions } from "../../src/memory/lessons/Contradictions.ts"
import type { ErrorCell, OutcomeCell, StepCell } from "../../src/memory/lessons/LaneFacts.ts"
import { reflectOn } from "../../src/memory/lessons/Reflect.ts"
import { pairOf } from "../../src/memory/lessons/StoredLesson.ts"
import { ageDaysOf, decayOf, type MemorySettings } from "../../src/memory/MemorySettings.ts"
import { type LocalLane, type LocalObservation, reliabilityAt } from "./LocalLane.ts"

const cellOf = (
  group: ReadonlyArray<LocalObservation>,
  settings: MemorySettings,
  nowMs: number
): OutcomeCell => {
  const weights = group.map(({ entry }) =>
    entry.provenanceWeight * reliabilityAt(entry, nowMs, settings)
    * decayOf(ageDaysOf(entry.occurredAtMs, nowMs), settings))
  const observations = group.map(({ observation }) => observation)
  const gated = observations.filter(({ provenance }) => provenance === "gate")
  const costs = observations.flatMap(({ costUsd }) => costUsd ?? [])
  const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
  const { cluster, modelId } = observations[0]!
  return {
    cluster,
    modelId,
    outcomes: group.length,
    successes: observations.filter(({ outcome }) => outcome === "success").length,
    gated: gated.length,
    gatedSuccesses: gated.filter(({ outcome }) => outcome === "success").length,
    weight: sum(weights),
    success: sum(weights.map((weight, row) => weight * observations[row]!.quality)),
    costUsd: costs.length === 0 ? null : sum(costs) / costs.length,
    newestMs: Math.max(...group.map(({ entry }) => entry.occurredAtMs))
  }
}

const stepCells = (lane: LocalLane): ReadonlyArray<StepCell> =>
  [...Map.groupBy(lane.steps.values(), (step) => `${pairOf(step)} ${step.stepId}`).values()].map((group) => {
    const newest = group.toSorted((a, b) => b.occurredAtMs - a.occurredAtMs)
    const failures = newest.filter(({ signal }) => signal < 0)
    const { cluster, modelId, occurredAtMs, stepId } = newest[0]!
    return {
      cluster,
      modelId,
      stepId,
      times: group.length,
      failures: failures.length,
      said: failures.find(({ directiveHint }) => directiveHint !== null)?.directiveHint
        ?? failures.find(({ rationale }) => rationale !== null)?.rationale ?? null,
      newestMs: occurredAtMs
    }
  })

const errorCells = (lane: LocalLane): ReadonlyArray<ErrorCell> => {
  const failures = [...lane.lessons.values()].flatMap((lesson) =>
    lesson.lessonType === "failure" && lesson.scope === "run" && lesson.error !== null
      ? [{ ...lesson, error: lesson.error }]
      : [])
  const groups = Map.groupBy(failures, ({ error, userId, ...lesson }) =>
    JSON.stringify([pairOf(lesson), userId, error.fingerprint]))
  return [...groups.values()].map((group) => {
    const { cluster, error, modelId, occurredAt, userId } =
      group.toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime())[0]!
    return {
      cluster,
      modelId,
      userId,
      times: group.length,
      error,
      confidence: group.reduce((sum, { baseConfidence }) => sum + baseConfidence, 0) / group.length,
      newestMs: occurredAt.getTime()
    }
  })
}

/**
 * Does to a local lane what `reflectDue` does to one in the database, when a reflection is due. Lessons of
 * runs are not pruned, since tests write few.
 */
export const reflectLocally = (lane: LocalLane, settings: MemorySettings, nowMs: number): void => {
  if (!lane.isReflectionDue) return
  lane.isReflectionDue = false
  const { reflection } = settings
  const newest = [...lane.observations.values()].filter(({ observation }) => observation.teaches)
    .sort((a, b) => b.entry.occurredAtMs - a.entry.occurredAtMs)
    .slice(0, reflection.outcomesMax)
  const cellsOf = (rows: ReadonlyArray<LocalObservation>): ReadonlyArray<OutcomeCell> =>
    [...Map.groupBy(rows, ({ observation }) => pairOf(observation)).values()]
      .map((group) => cellOf(group, settings, nowMs))
  const account = cellsOf(newest)
  const written = reflectOn(
    {
      account,
      session: cellsOf(newest.slice(0, reflection.sessionOutcomes)),
      steps: stepCells(lane),
      errors: errorCells(lane)
    },
    reflection
  )
  for (const [id, { isReflected }] of lane.lessons) if (isReflected) lane.lessons.delete(id)
  for (const lesson of written) lane.lessons.set(lesson.lessonId, lesson)
  const resolvedLessons = resolveContradictions([...lane.lessons.values()], account, reflection)
  for (const { lessonId, ...resolved } of resolvedLessons) {
    const lesson = lane.lessons.get(lessonId)
    if (lesson !== undefined) lane.lessons.set(lessonId, { ...lesson, ...resolved })
  }
}
