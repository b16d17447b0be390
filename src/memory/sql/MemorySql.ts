/* The driver of `Memory` that uses the service's own database. */
import { Clock, Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { TaskText } from "../../domain/text/TaskText.ts"
import { Embedder, EmbeddingsEndpoint } from "../../embedder/Embedder.ts"
import { matchError } from "../lessons/ErrorMatch.ts"
import { strategiesOf } from "../lessons/Strategies.ts"
import { Memory } from "../Memory.ts"
import { memorySettings, type MemorySettings } from "../MemorySettings.ts"
import { makeEmbeddingBackfill } from "./EmbeddingBackfill.ts"
import { selectHealth } from "./HealthRows.ts"
import { selectFailures, selectLessons } from "./LessonRows.ts"
import { laneKeyOf, makeMemoryAccess } from "./MemoryAccess.ts"
import { makeRecall } from "./MemoryRecall.ts"
import { makeWrites } from "./MemoryWrites.ts"
import { makeReadYourWrites } from "./ReadYourWrites.ts"
import { reflectForever } from "./ReflectionQueue.ts"

interface MemoryOptions {
  readonly endpoint: "postgresql" | "embedded"
  readonly settings?: MemorySettings
  /** `excerpt` if memory stores task texts; default `none`. An account can forbid to store its texts. */
  readonly keptText?: TaskText
}

const make = Effect.fnUntraced(function*(
  { endpoint, keptText = "none", settings = memorySettings }: MemoryOptions
) {
  const sql = yield* SqlClient.SqlClient
  const embedder = yield* Embedder
  const remote = yield* EmbeddingsEndpoint
  const access = yield* makeMemoryAccess
  const { inAccount, unavailable } = access
  const ownWrites = makeReadYourWrites(settings.ownWriteWaitMs)
  const reflectionDue = yield* Latch.make()
  yield* reflectForever(reflectionDue, settings).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.forkScoped
  )
  const backfill = remote === null ? null : yield* makeEmbeddingBackfill({
    endpoint: remote,
    rule: settings.backfill,
    onEmbedded: (scope, version, nowMs) => ownWrites.add(laneKeyOf(scope), version, nowMs)
  }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
  const parts = { access, backfill, embedder, ownWrites, remote, settings }
  const { known, recall } = yield* makeRecall(parts)

  return Memory.of({
    recall: (query) => Effect.flatMap(Clock.currentTimeMillis, (nowMs) => recall(query, nowMs)),

    knownModels: known,

    ...makeWrites({ ...parts, keptText, reflectionDue }),

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
 * A memory in the service's own database. `recall` must not be called inside a transaction, because a lane
 * loads on its own connection.
 */
export const layer = (
  options: MemoryOptions
): Layer.Layer<Memory, never, SqlClient.SqlClient | Embedder> =>
  Layer.effect(Memory, make(options))
