/* One lane of the in-process memory, and the counts of its health. */
import { isTrusted } from "../../src/domain/feedback/Feedback.ts"
import { type LaneEntry, reliabilityOf } from "../../src/memory/index/Entry.ts"
import type { LaneIndex } from "../../src/memory/index/LaneIndex.ts"
import type { QuantisedVector } from "../../src/memory/index/QuantisedVector.ts"
import { isDirectional, type StoredLesson, pairOf } from "../../src/memory/lessons/StoredLesson.ts"
import type { HealthCounts } from "../../src/memory/Memory.ts"
import { ageDaysOf, decayOf, lessonQualityMin, type MemorySettings } from "../../src/memory/MemorySettings.ts"
import type { Observation } from "../../src/domain/MemoryWrite.ts"
import { lowConfidence } from "../../src/memory/sql/HealthRows.ts"

/** Reliability of an entry at `nowMs`. */
export const reliabilityAt = (
  entry: Pick<LaneEntry, "occurredAtMs" | "votesDown" | "votesUp">,
  nowMs: number,
  settings: Pick<MemorySettings, "reliabilityHalfLifeDays">
): number => reliabilityOf(entry, ageDaysOf(entry.occurredAtMs, nowMs), settings)

export interface LocalObservation {
  observation: Observation
  entry: LaneEntry
}

/** One step outcome with its reward. */
interface LocalStep {
  readonly cluster: string
  readonly modelId: string
  readonly stepId: string
  readonly signal: number
  readonly directiveHint: string | null
  readonly rationale: string | null
  readonly occurredAtMs: number
}

/** The votes of one reinforcement: entries that it voted up and down, and keys of `LocalLane.votes`. */
interface LocalVotes {
  readonly up: ReadonlyArray<string>
  readonly down: ReadonlyArray<string>
  readonly spent: ReadonlyArray<string>
}

/** One lane of `MemoryLocal`. */
export interface LocalLane {
  readonly index: LaneIndex
  readonly observations: Map<string, LocalObservation>
  readonly vectors: Map<string, QuantisedVector>
  readonly records: Map<string, { readonly recordId: string; reinforcement: number; updatedAtMs: number }>
  readonly lessons: Map<string, StoredLesson>
  readonly steps: Map<string, LocalStep>
  /** Reinforcements by id, with what each voted up and down, and the votes that it spent. */
  readonly reinforcements: Map<string, LocalVotes>
  /** Number of votes by entry, actor and day. */
  readonly votes: Map<string, number>
  /** Observations that made a reflection due. */
  readonly reflections: Set<string>
  isReflectionDue: boolean
  taught: number
}

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

const ageHoursAt = (nowMs: number) => (times: ReadonlyArray<number>): number | null =>
  mean(times.map((time) => (nowMs - time) / 3_600_000))

/** Number, mean confidence and mean age of the entries of each kind. */
const sectionsOf = (
  lane: LocalLane,
  reliability: ReadonlyArray<number>,
  nowMs: number
): HealthCounts["sectionHealth"] => {
  const ageHours = ageHoursAt(nowMs)
  const lessons = [...lane.lessons.values()]
  return [
    {
      name: "observation",
      count: lane.observations.size,
      averageConfidence: mean(reliability),
      averageAgeHours: ageHours([...lane.observations.values()].map(({ entry }) => entry.occurredAtMs))
    },
    {
      name: "outcome_record",
      count: lane.records.size,
      averageConfidence: null,
      averageAgeHours: ageHours([...lane.records.values()].map(({ updatedAtMs }) => updatedAtMs))
    },
    {
      name: "lesson",
      count: lessons.length,
      averageConfidence: mean(lessons.map(({ confidence }) => confidence)),
      averageAgeHours: ageHours(lessons.map(({ occurredAt }) => occurredAt.getTime()))
    },
    {
      name: "step_reward",
      count: lane.steps.size,
      averageConfidence: null,
      averageAgeHours: ageHours([...lane.steps.values()].map(({ occurredAtMs }) => occurredAtMs))
    }
  ]
}

/** The counts that `selectHealth` calculates in the database. */
export const healthOf = (
  lane: LocalLane,
  { nowMs, settings, staleThresholdDays }: {
    readonly staleThresholdDays: number
    readonly nowMs: number
    readonly settings: MemorySettings
  }
): HealthCounts => {
  const kept = [...lane.observations.values()]
  const lessons = [...lane.lessons.values()]
  const reliability = kept.map(({ entry }) => reliabilityAt(entry, nowMs, settings))
  const withLesson = new Set(lessons.map(pairOf))
  const typesByPair = Map.groupBy(
    lessons.filter((lesson) => isDirectional(lesson) && !lesson.isSuperseded),
    pairOf
  )
  const { supersededShareMax: shareMin } = settings.reflection
  const trustedByPair = Map.groupBy(
    kept.filter(({ observation: { outcome, provenance, teaches } }) =>
      teaches && isTrusted(provenance) && outcome !== "partial"),
    ({ observation }) => pairOf(observation)
  )
  const times = [
    ...kept.map(({ entry }) => entry.occurredAtMs),
    ...lessons.map(({ occurredAt }) => occurredAt.getTime()),
    ...[...lane.steps.values()].map(({ occurredAtMs }) => occurredAtMs)
  ]
  const sectionHealth = sectionsOf(lane, reliability, nowMs)
  return {
    entryCounts: Object.fromEntries(sectionHealth.map(({ name, count }) => [name, count])),
    staleEntries: times.filter((time) => ageDaysOf(time, nowMs) > staleThresholdDays).length,
    contradictions: new Set([
      ...[...typesByPair].filter(([, group]) => new Set(group.map(({ lessonType }) => lessonType)).size > 1),
      ...[...trustedByPair].filter(([, group]) => {
        const weightOf = (part: typeof group) => part.reduce((total, { entry }) =>
          total + decayOf(ageDaysOf(entry.occurredAtMs, nowMs), settings), 0)
        const share = weightOf(group.filter(({ observation }) => observation.outcome === "success")) / weightOf(group)
        return share >= shareMin && share <= 1 - shareMin
      })
    ].map(([pair]) => pair)).size,
    lowConfidenceCount:
      kept.filter(({ observation }, row) => observation.teaches && reliability[row]! < lowConfidence).length
      + lessons.filter(({ confidence }) => confidence < lowConfidence).length,
    promotionCandidates:
      kept.filter(({ observation }) =>
        observation.teaches && observation.provenance === "gate" && observation.outcome === "success" &&
        observation.quality >= lessonQualityMin && !withLesson.has(pairOf(observation))
      ).length,
    sectionHealth
  }
}
