/* Writes to the database: what each kind of write does in the transaction that is open. */
import { Clock, Effect, type Latch } from "effect"
import { taskTextOf } from "../../accounts/AccountSettings.ts"
import type { LaneId } from "../../domain/Scope.ts"
import { excerptOf } from "../../domain/Task.ts"
import { monotonicMs } from "../../domain/Time.ts"
import type { TaskText, TaskVector } from "../../domain/text/TaskText.ts"
import type { Embedder, RemoteEmbedder } from "../../embedder/Embedder.ts"
import { measures } from "../index/Entry.ts"
import { vectorAmong } from "../index/VectorRows.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { Observation, Reinforced } from "../MemoryWrite.ts"
import { textSettings } from "../TextSettings.ts"
import type { WriteSteps } from "../WriteSteps.ts"
import type { EmbeddingBackfill } from "./EmbeddingBackfill.ts"
import { insertText, insertVector } from "./EmbeddingRows.ts"
import { insertLesson, insertSteps } from "./LessonRows.ts"
import { laneKeyOf, type MemoryAccess } from "./MemoryAccess.ts"
import { insertObservation, nextVersion } from "./ObservationWrites.ts"
import type { ReadYourWrites } from "./ReadYourWrites.ts"
import { reinforceRows } from "./ReinforcementRows.ts"

export interface WriteParts {
  readonly access: MemoryAccess
  readonly embedder: Embedder["Service"]
  readonly remote: RemoteEmbedder | null
  readonly ownWrites: ReadYourWrites
  /** Null without a remote embedder. */
  readonly backfill: EmbeddingBackfill | null
  /** Opened when an outcome makes a reflection due. */
  readonly reflectionDue: Latch.Latch
  /** Whether the words of outcomes are kept here, unless the account says otherwise. */
  readonly keptText: TaskText
  readonly settings: MemorySettings
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** The entries that a reinforcement may vote on, each once: an id that is no UUID is no entry's. */
export const votableOf = (entryIds: ReadonlyArray<string>, entriesMax: number): ReadonlyArray<string> =>
  [...new Set(entryIds)].filter(isUuid).slice(0, entriesMax)

/** The outcome's vector of an embedder; null without one, or where the outcome is not found by similarity. */
export const vectorOf = (
  { observation, teaches }: { readonly observation: Observation; readonly teaches: boolean },
  embedder: string
): TaskVector | null =>
  teaches || measures(observation)
    ? observation.taskVectors?.find((each) => each.embedder === embedder) ?? null
    : null

const noneReinforced: Reinforced = { entryIds: [], updatedConfidence: null }

/** Takes the lane's next version, which this process's next recall waits for. */
const takeVersion = Effect.fnUntraced(function*({ ownWrites }: WriteParts, scope: LaneId) {
  const version = yield* nextVersion(scope)
  ownWrites.add(laneKeyOf(scope), version, yield* monotonicMs)
  return version
})

/** Keeps the outcome's words where words are kept, and the remote embedder's vector, or requests it. */
const keepEmbedding = Effect.fnUntraced(function*(
  { backfill, remote }: WriteParts,
  observation: Observation,
  { isTextKept, teaches }: { readonly isTextKept: boolean; readonly teaches: boolean }
) {
  const { accountId, lane, observationId, task } = observation
  if (teaches && isTextKept && task !== "") yield* insertText(observation, observationId, excerptOf(task))
  if (remote === null || !(teaches || measures(observation))) return
  const vector = vectorAmong(observation.taskVectors, remote.identity)
  if (vector !== null) return yield* insertVector(observation, observationId, remote.identity, vector)
  // Telemetry that got no vector stays without one: it is not worth a second request.
  if (!teaches || task === "") return
  backfill?.request({ accountId, lane }, yield* monotonicMs, true)
})

/** Stores an outcome with its vectors; opens `reflectionDue` when it makes a reflection due. */
const teachBy = (parts: WriteParts): WriteSteps["teach"] => {
  const { access, embedder, keptText, reflectionDue, settings } = parts
  return Effect.fnUntraced(function*(observation, teaches) {
    const { accountId } = observation
    const vector = vectorOf({ observation, teaches }, embedder.identity)
    const isTextKept = (yield* taskTextOf(accountId, keptText, textSettings.settingMs)) === "excerpt"
    return yield* access.inAccount(accountId, Effect.gen(function*() {
      const version = yield* takeVersion(parts, observation)
      const taught = yield* insertObservation({
        observation,
        teaches,
        version,
        vectors: vector === null ? [] : [vector],
        reflectionEvery: settings.reflection.every
      })
      yield* keepEmbedding(parts, observation, { isTextKept, teaches })
      return taught
    })).pipe(
      Effect.tap(({ reflectionTriggered }) => reflectionTriggered ? reflectionDue.open : Effect.void)
    )
  })
}

/** What each kind of write does in the database. */
export const makeWrites = (parts: WriteParts): WriteSteps => {
  const { access, settings } = parts
  return {
    teach: teachBy(parts),

    reinforce: (reinforcement) => {
      const ids = votableOf(reinforcement.entryIds, settings.reinforcedEntriesMax)
      return ids.length === 0 ? Effect.succeed(noneReinforced) : access.inSavepointOf(
        reinforcement.accountId,
        Effect.gen(function*() {
          // First: the version's lock on the lane makes two votes under one id take turns.
          const version = yield* takeVersion(parts, reinforcement)
          const nowMs = yield* Clock.currentTimeMillis
          return yield* reinforceRows({ reinforcement, entryIds: ids, version, nowMs, settings })
        })
      )
    },

    recordSteps: (rewards) =>
      rewards.steps.length === 0
        ? Effect.succeed(0)
        : access.inSavepointOf(rewards.accountId, insertSteps(rewards)),

    promote: (lesson) => access.inSavepointOf(lesson.accountId, insertLesson(lesson))
  }
}
