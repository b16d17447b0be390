import { Clock, Context, Effect, Fiber, Latch, Layer, Option, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId, LaneId } from "../../domain/Scope.ts"
import { excerptOf } from "../../domain/Task.ts"
import type { TaskText } from "../../domain/text/TaskText.ts"
import { taskTextOf } from "../../accounts/AccountSettings.ts"
import { inSavepoint, withAccount } from "../../sql/AccountScope.ts"
import { Embedder, EmbeddingsEndpoint, type RemoteEmbedder } from "../../embedder/Embedder.ts"
import { matchError } from "../lessons/ErrorMatch.ts"
import { selectHealth } from "./HealthRows.ts"
import * as LaneCache from "../index/LaneCache.ts"
import { measures } from "../index/Entry.ts"
import { LaneIndex } from "../index/LaneIndex.ts"
import { insertLesson, insertSteps, selectFailures, selectLessons } from "./LessonRows.ts"
import {
  Memory, MemoryUnavailable, type Observation, type RecallQuery, type Reinforced, type Taught
} from "../Memory.ts"
import { memorySettings, type MemorySettings } from "../MemorySettings.ts"
import { refresh } from "./ObservationReads.ts"
import { reflectForever } from "./ReflectionQueue.ts"
import { insertObservation, nextVersion } from "./ObservationWrites.ts"
import { makeReadYourWrites } from "./ReadYourWrites.ts"
import { insertText, insertVector } from "./EmbeddingRows.ts"
import { makeEmbeddingBackfill } from "./EmbeddingBackfill.ts"
import { reinforceRows } from "./ReinforcementRows.ts"
import { rescaled } from "../index/SimilarityScale.ts"
import { strategiesOf } from "../lessons/Strategies.ts"
import { textSettings } from "../TextSettings.ts"
import { quantise, type QuantisedVector, taskVectorOf, vectorAmong } from "../index/VectorRows.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

const nothingReinforced: Reinforced = { entryIds: [], updatedConfidence: null }

interface MemoryOptions {
  readonly endpoint: "postgresql" | "embedded"
  readonly settings?: MemorySettings
  /**
   * What outcomes were about is kept, for lack of a ledger in the same database that does; unless this, or
   * the account's own setting, says `none`. Nothing is kept where it is absent.
   */
  readonly keptText?: TaskText
}

/** What a taught outcome is about, in the remote embedder's vectors; null where it had none in time. */
type Places = Map<string, QuantisedVector | null>

/** A settlement's outcomes: being placed ahead of its transaction, or placed. */
const Ahead = Context.Reference<{ readonly isAhead: boolean; readonly places: Places } | null>(
  "sextant/memory/sql/MemorySql/Ahead",
  { defaultValue: () => null }
)

/** Only ever seen by the stages that are run ahead of a settlement. */
const notYetTaught: Taught = { recordId: "", laneTaught: 0, reflectionTriggered: false }

const make = Effect.fnUntraced(function*(
  { endpoint, keptText = "none", settings = memorySettings }: MemoryOptions
) {
  const sql = yield* SqlClient.SqlClient
  const embedder = yield* Embedder
  const remote = yield* EmbeddingsEndpoint
  const cache = yield* LaneCache.make<SqlError.SqlError, SqlClient.SqlClient>(settings.cacheBytesMax)
  const ownWrites = makeReadYourWrites(settings.ownWriteWaitMs)
  const reflectionDue = yield* Latch.make()
  yield* reflectForever(reflectionDue, settings).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.forkScoped
  )

  const keyOf = ({ accountId, lane }: LaneId): string => JSON.stringify([accountId, lane])

  const unavailable = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    effect.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.mapError((cause) => new MemoryUnavailable({ reason: reasonOf(cause) }))
    )

  const inAccount = <A, E>(accountId: AccountId, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    unavailable(withAccount(accountId)(effect))

  /** When it fails, the caller's transaction stays usable and the failure can be a warning. */
  const apartInAccount = <A, E>(accountId: AccountId, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    inAccount(accountId, inSavepoint(effect))

  const takeVersion = Effect.fnUntraced(function*(scope: LaneId) {
    const version = yield* nextVersion(scope)
    ownWrites.add(keyOf(scope), version, yield* Clock.currentTimeMillis)
    return version
  })

  const placing = remote === null ? null : yield* makeEmbeddingBackfill(
    remote,
    settings.placing,
    (scope, version, nowMs) => ownWrites.add(keyOf(scope), version, nowMs)
  ).pipe(Effect.provideService(SqlClient.SqlClient, sql))

  /** The lane as one embedder sees it, fresh enough for the recall. */
  const indexOf = Effect.fnUntraced(function*(
    scope: LaneId,
    { dimensions, identity }: Pick<RemoteEmbedder, "dimensions" | "identity">,
    nowMs: number
  ) {
    const create = (atMs: number) => new LaneIndex(dimensions, settings, atMs)
    return yield* unavailable(cache.get(`${keyOf(scope)}${identity}`, {
      create,
      refresh: (lane) =>
        refresh({ accountId: scope.accountId, lane: scope.lane }, lane, {
          embedder: identity,
          dimensions,
          pageRows: settings.loadPageRows,
          pageMs: settings.loadPageMs,
          rowsMax: settings.laneLoadMax,
          create: () => create(nowMs)
        }),
      pollIntervalMs: settings.pollIntervalMs,
      versionMin: ownWrites.versionMin(keyOf(scope), nowMs)
    }))
  })

  const recallLexically = Effect.fnUntraced(function*(query: RecallQuery, nowMs: number) {
    const vector = yield* unavailable(embedder.embed(query.task))
    const index = yield* indexOf(query, embedder, nowMs)
    return index.recall({ ...query, vector, nowMs })
  })

  /**
   * By the remote embedder's vectors where the task got one in time and nearly all of the lane has them, else
   * by the built-in one's: the two are never compared.
   */
  const recallRemotely = Effect.fnUntraced(function*(
    remote: RemoteEmbedder,
    query: RecallQuery,
    nowMs: number
  ) {
    // Loads while the endpoint is asked, and for the next recall when that fails.
    const loading = yield* Effect.forkChild(indexOf(query, remote, nowMs))
    const asked = yield* Effect.result(remote.embed(query.accountId, query.task))
    if (Result.isFailure(asked)) {
      yield* Effect.logDebug("Recalled by words alone", { cause: asked.failure.message })
      return { ...yield* recallLexically(query, nowMs), embedderFailed: true }
    }
    const index = yield* Fiber.join(loading)
    const { placedShare } = index
    if (placedShare < 1) placing?.request({ accountId: query.accountId, lane: query.lane }, nowMs, false)
    if (placedShare < settings.placing.placedShareMin) return yield* recallLexically(query, nowMs)
    // So that it is there when the endpoint is not.
    yield* Effect.forkDetach(Effect.ignore(indexOf(query, embedder, nowMs)))
    const { floor, vector } = asked.success
    return rescaled(index.recall({ ...query, vector, nowMs }), floor)
  })

  const placeRemotely = ({ accountId, task, taskVectors }: Observation) => {
    if (remote === null) return Effect.succeed(null)
    const known = vectorAmong(taskVectors, remote.identity)
    if (known !== null || task === "") return Effect.succeed(known)
    return remote.embed(accountId, task).pipe(
      Effect.map(({ vector }) => quantise(vector)),
      Effect.catch(() => Effect.succeed(null))
    )
  }

  /** The built-in embedder's vector; null without words or a vector that was kept instead. */
  const placeLexically = Effect.fnUntraced(function*({ task, taskVectors }: Observation) {
    const known = vectorAmong(taskVectors, embedder.identity)
    if (known !== null || task === "") return known
    // An outcome without a vector still counts: losing it would be worse than not finding it by similarity.
    return yield* embedder.embed(task).pipe(
      Effect.map(quantise),
      Effect.catch((error) => Effect.as(Effect.logWarning("Taught without a vector", error), null))
    )
  })

  /** Writes what the remote embedder gave the outcome's text; what it did not is left to the background. */
  const keepPlace = Effect.fnUntraced(function*(
    observation: Observation,
    place: QuantisedVector | null,
    isTextKept: boolean
  ) {
    const { accountId, lane, observationId, task } = observation
    if (isTextKept && task !== "") yield* insertText(observation, observationId, excerptOf(task))
    if (remote === null) return
    if (place !== null) yield* insertVector(observation, observationId, remote.identity, place)
    else if (task !== "") placing?.request({ accountId, lane }, yield* Clock.currentTimeMillis, true)
  })

  const teachNow = Effect.fnUntraced(function*(
    observation: Observation,
    teaches: boolean,
    place: QuantisedVector | null
  ) {
    const vector = teaches || measures(observation) ? yield* placeLexically(observation) : null
    const { accountId } = observation
    const isTextKept = (yield* taskTextOf(accountId, keptText, textSettings.settingMs)) === "excerpt"
    return yield* inAccount(accountId, Effect.gen(function*() {
      const version = yield* takeVersion(observation)
      const taught = yield* insertObservation({
        observation,
        teaches,
        version,
        embedder: embedder.identity,
        vector,
        reflectionEvery: settings.reflection.every
      })
      if (teaches) yield* keepPlace(observation, place, isTextKept)
      // Telemetry that got no vector stays without one: it is not worth a second question.
      else if (remote !== null && place !== null) {
        yield* insertVector(observation, observation.observationId, remote.identity, place)
      }
      return taught
    })).pipe(
      Effect.tap(({ reflectionTriggered }) => reflectionTriggered ? reflectionDue.open : Effect.void)
    )
  })

  /** Nothing of a settlement's writes happens while its outcome is placed ahead of it. */
  const unlessAhead = <A, E>(write: Effect.Effect<A, E>, instead: A): Effect.Effect<A, E> =>
    Effect.flatMap(Effect.service(Ahead), (ahead) =>
      ahead?.isAhead === true ? Effect.succeed(instead) : write)

  return Memory.of({
    recall: Effect.fnUntraced(function*(query) {
      const nowMs = yield* Clock.currentTimeMillis
      return yield* remote === null ? recallLexically(query, nowMs) : recallRemotely(remote, query, nowMs)
    }),

    placesOf: Effect.fnUntraced(function*(accountId, task) {
      const own = quantise(yield* unavailable(embedder.embed(task)))
      // Asked by recall at the same time, and remembered.
      const other = remote === null ? null : yield* Effect.option(remote.embed(accountId, task))
      return [
        taskVectorOf(embedder.identity, own),
        ...(remote === null || other === null || Option.isNone(other)
          ? []
          : [taskVectorOf(remote.identity, quantise(other.value.vector))])
      ]
    }),

    // A feedback's transaction must not stay open while the endpoint is asked.
    ...(remote === null ? {} : {
      ahead: Effect.fnUntraced(function*(writes) {
        const places: Places = new Map()
        yield* Effect.provideService(writes, Ahead, { isAhead: true, places })
        return { during: Effect.provideService(Ahead, { isAhead: false, places }) }
      })
    }),

    teach: Effect.fnUntraced(function*(observation, teaches) {
      const ahead = yield* Effect.service(Ahead)
      const known = ahead?.isAhead === false ? ahead.places.get(observation.observationId) : undefined
      const place = known !== undefined || !(teaches || measures(observation))
        ? known ?? null
        : yield* placeRemotely(observation)
      if (ahead?.isAhead !== true) return yield* teachNow(observation, teaches, place)
      ahead.places.set(observation.observationId, place)
      return notYetTaught
    }),

    reinforce: (reinforcement) => {
      const ids = [...new Set(reinforcement.entryIds)].filter(isUuid).slice(0, settings.reinforcedEntriesMax)
      return ids.length === 0 ? Effect.succeed(nothingReinforced) : unlessAhead(apartInAccount(
        reinforcement.accountId,
        Effect.gen(function*() {
          // First: the version's lock on the lane makes two tellings at once take turns.
          const version = yield* takeVersion(reinforcement)
          const nowMs = yield* Clock.currentTimeMillis
          return yield* reinforceRows({ reinforcement, entryIds: ids, version, nowMs, settings })
        })
      ), nothingReinforced)
    },

    recordSteps: (rewards) =>
      rewards.steps.length === 0
        ? Effect.succeed(0)
        : unlessAhead(apartInAccount(rewards.accountId, insertSteps(rewards)), 0),

    promote: (lesson) => unlessAhead(apartInAccount(lesson.accountId, insertLesson(lesson)), undefined),

    strategies: (query) =>
      Effect.map(
        inAccount(query.accountId, selectLessons(query, query.lessonTypes)),
        (lessons) => strategiesOf(lessons, query.limit)
      ),

    diagnose: (query) =>
      Effect.map(
        inAccount(query.accountId, selectFailures(query, query.userId)),
        (lessons) => matchError(lessons, query)
      ),

    health: Effect.fnUntraced(function*(query) {
      const now = new Date(yield* Clock.currentTimeMillis)
      const { accountId, staleThresholdDays } = query
      return yield* inAccount(accountId, selectHealth(query, { staleThresholdDays, now, settings }))
    }),

    ping: () => Effect.as(unavailable(sql`select 1`), { endpoint })
  })
})

/**
 * Memory in the service's own database. `recall` must not be called inside a transaction: a cold lane loads
 * on a connection of its own. The writes join an open transaction of the same account. While the layer lives,
 * it makes the reflections that outcomes have made due, its own and those of processes that died. With an
 * {@link EmbeddingsEndpoint} outcomes have vectors of both embedders, and recall uses the built-in one's
 * while the endpoint is out.
 */
export const layer = (
  options: MemoryOptions
): Layer.Layer<Memory, never, SqlClient.SqlClient | Embedder> =>
  Layer.effect(Memory, make(options))
