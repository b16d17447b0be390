/* Caches the indexes of lanes in the process. An index is loaded once, refreshed, and dropped when unused. */
import { Clock, type Context, Effect, type Scope } from "effect"
import { forgettingUnused } from "../../resilience/ForgetUnused.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import type { LaneIndex } from "./LaneIndex.ts"

export interface LaneCache<E, R> {
  /**
   * The index is refreshed if the last refresh began more than `pollIntervalMs` ago, or if its version is
   * below `versionMin`. A load of an index continues even if its caller gives up.
   */
  readonly get: (key: string, options: {
    readonly create: (nowMs: number) => LaneIndex
    /** Updates the index, or returns a new index that replaces it. */
    readonly refresh: (index: LaneIndex) => Effect.Effect<LaneIndex | void, E, R>
    readonly versionMin: number
  }) => Effect.Effect<LaneIndex, E>
  /** Returns the loaded index of any age; undefined if the lane is not loaded. */
  readonly held: (key: string) => LaneIndex | undefined
}

/**
 * The cache drops the least recently used lanes first, and also idle lanes. One fiber at a time loads or
 * refreshes a lane.
 */
export const make = Effect.fnUntraced(function*<E, R>(
  bytesMax: number,
  pollIntervalMs: number
): Effect.fn.Return<LaneCache<E, R>, never, R | Scope.Scope> {
  const services: Context.Context<R> = yield* Effect.context<R>()
  const lanes = yield* makeReadCache<LaneIndex, E>({
    capacity: bytesMax,
    sizeOf: ({ bytes }) => bytes,
    keepsUsed: true,
    // The age of an index counts from the start of its last refresh.
    freshMs: (tookMs) => pollIntervalMs - tookMs,
    staleMs: 0,
    pauseMs: 0
  })
  yield* gauged(meters.cacheBytes({ [attribute.cache]: "lanes" }), () => lanes.total())
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "lanes" }), () => lanes.size)
  yield* forgettingUnused((beforeMs) => lanes.forgetBefore(beforeMs))
  return {
    get: (key, { create, refresh, versionMin }) =>
      lanes.read(
        key,
        (last) =>
          Clock.currentTimeMillis.pipe(
            Effect.map((nowMs) => last ?? create(nowMs)),
            Effect.flatMap((index) => Effect.map(refresh(index), (other) => other ?? index)),
            // A load uses the scope's services, so it runs outside its caller's transaction and span.
            Effect.updateContext(() => services)
          ),
        ({ version }) => version >= versionMin
      ),
    held: (key) => lanes.held(key)
  }
})
