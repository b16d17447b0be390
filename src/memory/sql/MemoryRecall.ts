/* Recall from the database: by the vectors of one embedder, in the lanes that this process has loaded. */
import { Effect, Fiber, Result } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import type { Cluster } from "../../domain/Task.ts"
import { monotonicMs } from "../../domain/Time.ts"
import type { Embedder, RemoteEmbedder } from "../../embedder/Embedder.ts"
import * as LaneCache from "../index/LaneCache.ts"
import { LaneIndex } from "../index/LaneIndex.ts"
import { rescaled } from "../index/SimilarityScale.ts"
import type { KnownModels, MemoryUnavailable, Recalled, RecallQuery } from "../Memory.ts"
import type { MemorySettings } from "../MemorySettings.ts"
import type { EmbeddingBackfill } from "./EmbeddingBackfill.ts"
import { laneKeyOf, type MemoryAccess } from "./MemoryAccess.ts"
import { refresh } from "./ObservationReads.ts"
import type { ReadYourWrites } from "./ReadYourWrites.ts"

interface RecallParts {
  readonly access: MemoryAccess
  readonly embedder: Embedder["Service"]
  readonly remote: RemoteEmbedder | null
  readonly ownWrites: ReadYourWrites
  /** The remote embedder, or null. */
  readonly backfill: EmbeddingBackfill | null
  readonly settings: MemorySettings
}

/** The known models of a lane without outcomes. */
const noneKnown: KnownModels = new Map()

/** A lane as one embedder sees it, fresh enough for a recall at `nowMs`; from the cache of this process. */
const indexesIn = (
  cache: LaneCache.LaneCache<SqlError.SqlError, SqlClient.SqlClient>,
  { access: { unavailable }, ownWrites, settings }: RecallParts
) =>
  Effect.fnUntraced(function*(
    scope: LaneId,
    { dimensions, identity }: Pick<RemoteEmbedder, "dimensions" | "identity">,
    nowMs: number
  ) {
    const create = (atMs: number) => new LaneIndex(dimensions, settings, atMs)
    return yield* unavailable(cache.get(`${laneKeyOf(scope)}${identity}`, {
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
      versionMin: ownWrites.versionMin(laneKeyOf(scope), yield* monotonicMs)
    }))
  })

/**
 * Makes recall, a function of the query and the time (ms since 1970) that is never called inside a
 * transaction, and the read of what loaded lanes know.
 */
export const makeRecall = Effect.fnUntraced(function*(parts: RecallParts) {
  const { access: { unavailable }, backfill, embedder, remote, settings } = parts
  const cache = yield* LaneCache.make<SqlError.SqlError, SqlClient.SqlClient>(
    settings.cacheBytesMax, settings.pollIntervalMs
  )
  const indexOf = indexesIn(cache, parts)

  const recallLexically = Effect.fnUntraced(function*(query: RecallQuery, nowMs: number) {
    const vector = yield* unavailable(embedder.embed(query.task))
    const index = yield* indexOf(query, embedder, nowMs)
    return index.recall({ ...query, vector, nowMs })
  })

  /**
   * Recalls by the remote embedder's vectors if the task got one in time and nearly all of the lane has them.
   * Otherwise it recalls by the built-in embedder's. The two are never compared.
   */
  const recallRemotely = Effect.fnUntraced(function*(
    remote: RemoteEmbedder,
    query: RecallQuery,
    nowMs: number
  ) {
    // Loads during the request to the endpoint, and for the next recall when the request fails.
    const loading = yield* Effect.forkChild(indexOf(query, remote, nowMs))
    const embedded = yield* Effect.result(remote.embed(query.accountId, query.task))
    if (Result.isFailure(embedded)) {
      yield* Effect.logDebug("Recalled by words alone", { cause: embedded.failure.message })
      return { ...yield* recallLexically(query, nowMs), embedderFailed: true }
    }
    const index = yield* Fiber.join(loading)
    const { embeddedShare: placedShare } = index
    if (placedShare < 1) {
      backfill?.request({ accountId: query.accountId, lane: query.lane }, yield* monotonicMs, false)
    }
    if (placedShare < settings.backfill.embeddedShareMin) return yield* recallLexically(query, nowMs)
    // Loaded already when a later recall needs it because the endpoint fails.
    yield* Effect.forkDetach(Effect.ignore(indexOf(query, embedder, nowMs)))
    const { floor, vector } = embedded.success
    return rescaled(index.recall({ ...query, vector, nowMs }), floor)
  })

  return {
    recall: (query: RecallQuery, nowMs: number): Effect.Effect<Recalled, MemoryUnavailable> =>
      remote === null ? recallLexically(query, nowMs) : recallRemotely(remote, query, nowMs),
    // The tallies of a lane are the same for every embedder.
    known: (scope: LaneId, cluster: Cluster): KnownModels => {
      const heldBy = (identity: string) => cache.held(`${laneKeyOf(scope)}${identity}`)
      const index = (remote === null ? undefined : heldBy(remote.identity)) ?? heldBy(embedder.identity)
      return index?.known(cluster) ?? noneKnown
    }
  }
})
