/* The lanes' indexes of a process: loaded once, refreshed, and dropped when they are not used. */
import { Clock, type Context, Effect, type Scope } from "effect"
import { monotonicMs } from "../../domain/Time.ts"
import { makeReadCache } from "../../resilience/ReadCache.ts"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import type { LaneIndex } from "./LaneIndex.ts"

export interface LaneCache<E, R> {
  /**
   * The lane's index, loaded and at most `pollIntervalMs` old, or at least at `versionMin` if the store has
   * it. A caller that gives up leaves the load running, so that the next caller finds it done.
   */
  readonly get: (key: string, options: {
    readonly create: (nowMs: number) => LaneIndex
    /** Brings the index up to date, or yields another one to replace it. */
    readonly refresh: (index: LaneIndex) => Effect.Effect<LaneIndex | void, E, R>
    readonly versionMin: number
  }) => Effect.Effect<LaneIndex, E>
  /** The lane's loaded index, however old; undefined if it is not loaded. */
  readonly held: (key: string) => LaneIndex | undefined
  /** Estimated bytes of all cached lanes. */
  readonly bytes: () => number
}

/** How long a lane that is not used stays loaded, ms. Erased data leave the process within it. Chosen. */
const idleMs = 14 * 60_000
const idleEvery = "1 minute"

/**
 * The least recently used lanes are dropped, by a bound in bytes and by idle time. A lane is loaded or polled
 * by one fiber at a time, which lives in the scope.
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
    // An index is as old as the beginning of its last refresh.
    freshMs: (tookMs) => pollIntervalMs - tookMs,
    staleMs: 0,
    pauseMs: 0
  })
  yield* gauged(meters.cacheBytes({ [attribute.cache]: "lanes" }), () => lanes.total())
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "lanes" }), () => lanes.size)
  yield* Effect.map(monotonicMs, (nowMs) => lanes.forgetBefore(nowMs - idleMs)).pipe(
    Effect.delay(idleEvery),
    Effect.forever,
    Effect.forkScoped
  )
  return {
    get: (key, { create, refresh, versionMin }) =>
      lanes.read(
        key,
        (last) =>
          Clock.currentTimeMillis.pipe(
            Effect.map((nowMs) => last ?? create(nowMs)),
            Effect.flatMap((index) => Effect.map(refresh(index), (other) => other ?? index)),
            // With the scope's own services: a load runs neither in its caller's transaction nor in its span.
            Effect.updateContext(() => services)
          ),
        ({ version }) => version >= versionMin
      ),
    held: (key) => lanes.held(key),
    bytes: () => lanes.total()
  }
})
