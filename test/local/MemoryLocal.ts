/* Memory in the process, for tests and benchmarks. */
import { Clock, Effect, Layer } from "effect"
import { isTrusted } from "../../src/domain/feedback/Feedback.ts"
import { outcomeFieldsOf } from "../../src/domain/feedback/OutcomeFields.ts"
import type { LaneId } from "../../src/domain/Scope.ts"
import { Embedder } from "../../src/embedder/Embedder.ts"
import { type LaneEntry, measures } from "../../src/memory/index/Entry.ts"
import { recordIdOf } from "../../src/memory/fold/RecordId.ts"
import { LaneIndex } from "../../src/memory/index/LaneIndex.ts"
import { quantise, type QuantisedVector, taskVectorOf } from "../../src/memory/index/QuantisedVector.ts"
import { matchError } from "../../src/memory/lessons/ErrorMatch.ts"
import { keptOf } from "../../src/memory/lessons/StoredLesson.ts"
import { strategiesOf } from "../../src/memory/lessons/Strategies.ts"
import { Memory, MemoryUnavailable } from "../../src/memory/Memory.ts"
import { memorySettings, type MemorySettings } from "../../src/memory/MemorySettings.ts"
import type { Observation, StepRewards } from "../../src/domain/MemoryWrite.ts"
import { writtenBy, type WriteSteps } from "../../src/memory/WriteSteps.ts"
import { healthOf, type LocalLane } from "./LocalLane.ts"
import { reflectLocally } from "./LocalReflection.ts"
import { isOutdated, recordKeyOf, reinforceLocally, takeBackLocally } from "./LocalReinforcement.ts"

const entryOf = (observation: Observation): LaneEntry => ({
  ...outcomeFieldsOf(observation),
  observationId: observation.observationId,
  userId: observation.userId,
  isCostOutlier: observation.isCostOutlier ?? false,
  isWeak: !isTrusted(observation.provenance),
  occurredAtMs: observation.occurredAt.getTime(),
  votesUp: 0,
  votesDown: 0
})

/** Teaches a lane an outcome, or replaces the outcome by a higher revision of it. */
const teachLocally = (settings: MemorySettings) =>
(lane: LocalLane, observation: Observation, vector: QuantisedVector | null): void => {
  const { observationId, verdictRevision } = observation
  const known = lane.observations.get(observationId)
  const isRelabelled = known === undefined || verdictRevision > known.observation.verdictRevision
  if (known !== undefined && isRelabelled) {
    takeBackLocally(lane, observationId)
    lane.lessons.delete(observationId)
  }
  const { votesDown, votesUp } = known?.entry ?? { votesDown: 0, votesUp: 0 }
  const entry = { ...entryOf(observation), votesDown, votesUp }
  lane.observations.set(observationId, { observation, entry })
  if (!observation.teaches) {
    if (measures(observation)) lane.index.measure(entry, vector)
    return
  }
  const isNew = known?.observation.teaches !== true
  if (isNew) lane.taught++
  if (vector !== null) lane.vectors.set(observationId, vector)
  lane.index.upsert(entry, vector)
  const isGateFailure = observation.provenance === "gate" && observation.outcome === "failure"
  if ((isNew && lane.taught % settings.reflection.every === 0) || (isGateFailure && isRelabelled)) {
    lane.reflections.add(observationId)
    lane.isReflectionDue = true
  }
}

/** The lanes of a memory, each made when it is first opened. */
const makeLanes = (dimensions: number, settings: MemorySettings) => {
  const lanes = new Map<string, LocalLane>()
  const laneOf = ({ accountId, lane }: LaneId, nowMs: number): LocalLane => {
    const key = JSON.stringify([accountId, lane])
    const known = lanes.get(key)
    if (known !== undefined) return known
    const created: LocalLane = {
      index: new LaneIndex(dimensions, settings, nowMs),
      observations: new Map(),
      vectors: new Map(),
      records: new Map(),
      lessons: new Map(),
      steps: new Map(),
      reinforcements: new Map(),
      votes: new Map(),
      reflections: new Set(),
      isReflectionDue: false,
      taught: 0
    }
    lanes.set(key, created)
    return created
  }
  /** The caller's lane; nothing else suspends afterwards, so what follows is one step. */
  const open = (scope: LaneId) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => ({ nowMs, lane: laneOf(scope, nowMs) }))
  return {
    open,
    held: ({ accountId, lane }: LaneId) => lanes.get(JSON.stringify([accountId, lane])),
    /** The lane after the reflection that is due: reads make it, because no other fiber does. */
    openReflected: (scope: LaneId) =>
      Effect.tap(open(scope), ({ lane, nowMs }) => Effect.sync(() => reflectLocally(lane, settings, nowMs)))
  }
}
type Lanes = ReturnType<typeof makeLanes>

const lessonsOf = (lane: LocalLane) =>
  [...lane.lessons.values()].map((lesson) => ({
    ...lesson,
    reinforcement: lane.records.get(recordKeyOf(lesson.cluster, lesson.modelId))?.reinforcement ?? 0
  }))

const embedWith = (embedder: Embedder["Service"], task: string) =>
  Effect.mapError(embedder.embed(task), ({ reason }) => new MemoryUnavailable({ reason }))

/** The vector that an observation is found by; null where it has no words. */
const vectorOf = (
  embedder: Embedder["Service"],
  { task, taskVectors }: Observation
): Effect.Effect<QuantisedVector | null, MemoryUnavailable> => {
  const known = taskVectors?.find((each) => each.embedder === embedder.identity)
  if (known !== undefined) {
    return Effect.succeed({ scale: known.scale, vector: new Int8Array(Buffer.from(known.vector, "base64")) })
  }
  return task === ""
    ? Effect.succeed(null)
    : Effect.map(embedWith(embedder, task), quantise)
}

/** Stores the steps that are new, and yields how many they are. */
const recordLocally = (lane: LocalLane, rewards: StepRewards): number => {
  const before = lane.steps.size
  for (const step of rewards.steps) {
    const key = JSON.stringify([rewards.recommendationId, rewards.modelId, step.stepId])
    if (lane.steps.has(key)) continue
    lane.steps.set(key, {
      cluster: rewards.cluster,
      modelId: rewards.modelId,
      stepId: step.stepId,
      signal: step.signal,
      directiveHint: step.directiveHint,
      rationale: step.rationale,
      occurredAtMs: rewards.occurredAt.getTime()
    })
  }
  return lane.steps.size - before
}

/** The effect of each kind of write. */
const writeStepsOn = (
  { open }: Lanes,
  embedder: Embedder["Service"],
  settings: MemorySettings
): WriteSteps => {
  const teach = teachLocally(settings)
  return {
    teach: Effect.fnUntraced(function*(observation) {
      const vector = yield* vectorOf(embedder, observation)
      const { lane } = yield* open(observation)
      const known = lane.observations.get(observation.observationId)
      const { accountId, lane: name } = observation
      const { cluster, modelId } = known?.observation ?? observation
      const key = recordKeyOf(cluster, modelId)
      const recordId = recordIdOf(accountId, { lane: name, cluster, modelId })
      const record = lane.records.get(key) ?? { recordId, reinforcement: 0, updatedAtMs: 0 }
      lane.records.set(key, record)
      if (known === undefined || known.observation.revision < observation.revision) {
        record.updatedAtMs = Math.max(record.updatedAtMs, observation.occurredAt.getTime())
        teach(lane, observation, vector)
      }
      return {
        recordId: record.recordId,
        laneTaught: lane.taught,
        reflectionTriggered: lane.reflections.has(observation.observationId)
      }
    }),

    reinforce: (reinforcement) =>
      Effect.map(open(reinforcement), ({ lane, nowMs }) =>
        reinforceLocally(lane, reinforcement, settings, nowMs)),

    recordSteps: (rewards) => Effect.map(open(rewards), ({ lane }) => recordLocally(lane, rewards)),

    promote: Effect.fnUntraced(function*(lesson) {
      const { lane } = yield* open(lesson)
      const { lessonId, revision } = lesson
      if (lane.lessons.has(lessonId) || isOutdated(lane, lessonId, revision)) return
      lane.lessons.set(lessonId, keptOf(lesson))
    })
  }
}

const make = Effect.fnUntraced(function*(settings: MemorySettings) {
  const embedder = yield* Embedder
  const lanes = makeLanes(embedder.dimensions, settings)
  const { open, openReflected } = lanes
  const steps = writeStepsOn(lanes, embedder, settings)
  const embed = (task: string) => embedWith(embedder, task)

  return Memory.of({
    recall: Effect.fnUntraced(function*(query) {
      const vector = yield* embed(query.task)
      const { lane, nowMs } = yield* open(query)
      return lane.index.recall({ ...query, vector, nowMs })
    }),

    knownModels: (scope, cluster) => lanes.held(scope)?.index.known(cluster) ?? new Map(),

    prepare: ({ task, taskVectors = [] }) =>
      task === "" || taskVectors.some((each) => each.embedder === embedder.identity)
        ? Effect.succeed(taskVectors)
        : Effect.match(embed(task), {
          onFailure: () => taskVectors,
          onSuccess: (vector) => [...taskVectors, taskVectorOf(embedder.identity, quantise(vector))]
        }),

    store: (_accountId, writes) =>
      Effect.map(Effect.forEach(writes, (each) => writtenBy(steps, each)), (written) =>
        ({ written, isElsewhere: false, onDurable: Effect.void })),

    deliver: (_accountId, _revision, { answer }) => Effect.succeed(answer([])),

    write: (write) => writtenBy(steps, write),

    strategies: (query) =>
      Effect.map(openReflected(query), ({ lane }) => {
        const wanted = lessonsOf(lane).filter(({ lessonType }) =>
          query.lessonTypes.length === 0 || query.lessonTypes.includes(lessonType))
        return strategiesOf(wanted, query.limit)
      }),

    diagnose: (query) => Effect.map(openReflected(query), ({ lane }) => matchError(lessonsOf(lane), query)),

    health: (query) =>
      Effect.map(openReflected(query), ({ lane, nowMs }) =>
        healthOf(lane, { staleThresholdDays: query.staleThresholdDays, nowMs, settings })),

    ping: () => Effect.succeed({ endpoint: "local" })
  })
})

/**
 * Memory in the process, for tests: the same index and rules as `MemorySql`, lost when the process ends. It takes
 * writes when they are stored, also if the transaction fails later.
 */
export const layer = (settings: MemorySettings = memorySettings): Layer.Layer<Memory, never, Embedder> =>
  Layer.effect(Memory, make(settings))
