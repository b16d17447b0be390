/* Recalls outcomes from lanes that this process loads. Each embedder has its own indexes. */
import { Effect, Fiber, Result } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { LaneId } from "../../domain/Scope.ts"
import type { Cluster } from "../../domain/Task.ts"
import { monotonicMs } from "../../domain/Time.ts"
import type { RemoteEmbedder } from "../../embedder/Embedder.ts"
import * as LaneCache from "../index/LaneCache.ts"
import { LaneIndex } from "../index/LaneIndex.ts"
import { rescaled } from "../index/SimilarityScale.ts"
import type { KnownModels, MemoryUnavailable, Recalled, RecallQuery } from "../Memory.ts"
import { laneKeyOf, type MemoryParts } from "./MemoryAccess.ts"
import { refresh } from "./ObservationReads.ts"

const noneKnown: KnownModels = new Map()

const indexesIn = (
  cache: LaneCache.LaneCache<SqlError.SqlError, SqlClient.SqlClient>,
  { access: { unavailable }, ownWrites, settings }: MemoryParts
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

/** A recall must not be called inside a transaction. A recall's `nowMs` is in ms since 1970. */
export const makeRecall = Effect.fnUntraced(function*(parts: MemoryParts) {
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
   * Recalls by the remote embedder's vectors if the task got its vector in time and nearly all outcomes have
   * one; otherwise by the built-in embedder's vectors.
   */
  const recallRemotely = Effect.fnUntraced(function*(
    remote: RemoteEmbedder,
    query: RecallQuery,
    nowMs: number
  ) {
    // The lane loads while the endpoint makes the vector, and stays loaded even if the endpoint fails.
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
    // The index of the built-in embedder is loaded too, so that a later recall is fast if the endpoint fails.
    yield* Effect.forkDetach(Effect.ignore(indexOf(query, embedder, nowMs)))
    const { floor, vector } = embedded.success
    return rescaled(index.recall({ ...query, vector, nowMs }), floor)
  })

  return {
    recall: (query: RecallQuery, nowMs: number): Effect.Effect<Recalled, MemoryUnavailable> =>
      remote === null ? recallLexically(query, nowMs) : recallRemotely(remote, query, nowMs),
    // A lane's tallies do not depend on vectors.
    known: (scope: LaneId, cluster: Cluster): KnownModels => {
      const heldBy = (identity: string) => cache.held(`${laneKeyOf(scope)}${identity}`)
      const index = (remote === null ? undefined : heldBy(remote.identity)) ?? heldBy(embedder.identity)
      return index?.known(cluster) ?? noneKnown
    }
  }
})
