import { Clock, Effect, Latch, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Caller } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { withAccount } from "../sql/AccountScope.ts"
import { Embedder } from "./Embedder.ts"
import { matchError } from "./ErrorMatch.ts"
import { selectHealth } from "./HealthRows.ts"
import * as LaneCache from "./LaneCache.ts"
import { LaneIndex } from "./LaneIndex.ts"
import { insertLesson, insertSteps, selectFailures, selectLessons } from "./LessonRows.ts"
import { type LaneScope, Memory, MemoryUnavailable, type Reinforced } from "./Memory.ts"
import { memorySettings, type MemorySettings } from "./MemorySettings.ts"
import { refresh } from "./ObservationReads.ts"
import { reflectForever } from "./ReflectionQueue.ts"
import { insertObservation, nextVersion } from "./ObservationWrites.ts"
import { reinforceRows } from "./ReinforcementRows.ts"
import { strategiesOf } from "./Strategies.ts"
import { quantise } from "./VectorRows.ts"

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

const nothingReinforced: Reinforced = { entryIds: [], updatedConfidence: null }

/**
 * Versions that this process wrote, by lane: what the next recall must see. An entry outlives any
 * transaction.
 */
const makeOwnWrites = (waitMs: number) => {
  const writes = new Map<string, { readonly version: number; readonly untilMs: number }>()
  return {
    add: (key: string, version: number, nowMs: number): void => {
      for (const [known, { untilMs }] of writes) {
        // Oldest first: the map is in order of writing.
        if (untilMs > nowMs) break
        writes.delete(known)
      }
      const before = writes.get(key)?.version ?? 0
      writes.delete(key)
      writes.set(key, { version: Math.max(before, version), untilMs: nowMs + waitMs })
    },
    versionMin: (key: string, nowMs: number): number => {
      const write = writes.get(key)
      return write === undefined || write.untilMs <= nowMs ? 0 : write.version
    }
  }
}

const make = Effect.fnUntraced(function*(endpoint: string, settings: MemorySettings) {
  const sql = yield* SqlClient.SqlClient
  const embedder = yield* Embedder
  const cache = yield* LaneCache.make<SqlError.SqlError, SqlClient.SqlClient>(settings.cacheBytesMax)
  const ownWrites = makeOwnWrites(settings.ownWriteWaitMs)
  const reflectionDue = yield* Latch.make()
  yield* reflectForever(reflectionDue, settings).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.forkScoped
  )

  const keyOf = ({ caller: { accountId }, lane }: LaneScope): string =>
    JSON.stringify([accountId, lane, embedder.identity])

  const unavailable = <A, E>(
    effect: Effect.Effect<A, E, SqlClient.SqlClient>
  ): Effect.Effect<A, MemoryUnavailable> =>
    effect.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.mapError((cause) => new MemoryUnavailable({ cause }))
    )

  const inAccount = <A, E>({ accountId }: Caller, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    unavailable(withAccount(accountId)(effect))

  // A savepoint of its own: when it fails, the caller's transaction stays usable and the failure can be a
  // warning.
  const inSavepoint = <A, E>(caller: Caller, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    inAccount(caller, sql.withTransaction(effect))

  const takeVersion = Effect.fnUntraced(function*(scope: LaneScope) {
    const version = yield* nextVersion(scope)
    ownWrites.add(keyOf(scope), version, yield* monotonicMs)
    return version
  })

  return Memory.of({
    recall: Effect.fnUntraced(function*(query) {
      const nowMs = yield* Clock.currentTimeMillis
      const vector = yield* unavailable(embedder.embed(query.task))
      const key = keyOf(query)
      const index = yield* unavailable(cache.get(key, {
        create: (atMs) => new LaneIndex(embedder.dimensions, settings, atMs),
        refresh: (lane) =>
          refresh({ caller: query.caller, lane: query.lane }, lane, {
            embedder: embedder.identity,
            dimensions: embedder.dimensions,
            pageRows: settings.loadPageRows,
            create: () => new LaneIndex(embedder.dimensions, settings, nowMs)
          }),
        pollIntervalMs: settings.pollIntervalMs,
        versionMin: ownWrites.versionMin(key, yield* monotonicMs)
      }))
      return index.recall({ ...query, vector, nowMs })
    }),

    teach: Effect.fnUntraced(function*(observation, teaches) {
      // An outcome without a vector still counts: losing it would be worse than not finding it by similarity.
      const vector = teaches
        ? yield* embedder.embed(observation.task).pipe(
          Effect.map(quantise),
          Effect.catch((error) => Effect.as(Effect.logWarning("Taught without a vector", error), null))
        )
        : null
      return yield* inAccount(observation.caller, Effect.gen(function*() {
        const version = yield* takeVersion(observation)
        return yield* insertObservation(observation, {
          teaches,
          version,
          embedder: embedder.identity,
          vector,
          reflectionEvery: settings.reflection.every
        })
      })).pipe(
        Effect.tap(({ reflectionTriggered }) => reflectionTriggered ? reflectionDue.open : Effect.void)
      )
    }),

    reinforce: (reinforcement) => {
      const ids = [...new Set(reinforcement.entryIds)].filter(isUuid).slice(0, settings.reinforcedEntriesMax)
      return ids.length === 0 ? Effect.succeed(nothingReinforced) : inSavepoint(
        reinforcement.caller,
        Effect.gen(function*() {
          // First: the version's lock on the lane makes two tellings at once take turns.
          const version = yield* takeVersion(reinforcement)
          const nowMs = yield* Clock.currentTimeMillis
          return yield* reinforceRows(reinforcement, { entryIds: ids, version, nowMs, settings })
        })
      )
    },

    recordSteps: (rewards) =>
      rewards.steps.length === 0 ? Effect.succeed(0) : inSavepoint(rewards.caller, insertSteps(rewards)),

    promote: (lesson) => inSavepoint(lesson.caller, insertLesson(lesson)),

    strategies: (query) =>
      Effect.map(
        inAccount(query.caller, selectLessons(query, query.lessonTypes)),
        (lessons) => strategiesOf(lessons, query.limit)
      ),

    diagnose: (query) =>
      Effect.map(
        inAccount(query.caller, selectFailures(query, query.userId)),
        (lessons) => matchError(lessons, query)
      ),

    health: Effect.fnUntraced(function*(query) {
      const now = new Date(yield* Clock.currentTimeMillis)
      const { caller, staleThresholdDays } = query
      return yield* inAccount(caller, selectHealth(query, { staleThresholdDays, now, settings }))
    }),

    ping: () => Effect.as(unavailable(sql`select 1`), { endpoint })
  })
})

/**
 * Memory in the service's own database. `recall` must not be called inside a transaction: a cold lane loads
 * on a connection of its own. The writes join an open transaction of the same account. While the layer lives,
 * it makes the reflections that outcomes have made due, its own and those of processes that died.
 */
export const layer = (
  options: { readonly endpoint: "postgresql" | "embedded"; readonly settings?: MemorySettings }
): Layer.Layer<Memory, never, SqlClient.SqlClient | Embedder> =>
  Layer.effect(Memory, make(options.endpoint, options.settings ?? memorySettings))
