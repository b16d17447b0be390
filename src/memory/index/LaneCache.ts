import { Clock, Effect, Fiber, FiberSet, type Scope } from "effect"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { LaneIndex } from "./LaneIndex.ts"

interface Slot<E> {
  index: LaneIndex
  /** When the last successful refresh began, monotonic; null until the lane is loaded. */
  polledAtMs: number | null
  running: Fiber.Fiber<void, E> | null
}

export interface LaneCache<E, R> {
  /**
   * The lane's index, loaded and at most `pollIntervalMs` old, or at least at `versionMin` if the store has
   * it. An asker that gives up leaves the load running, so that the next one finds it done.
   */
  readonly get: (key: string, options: {
    readonly create: (nowMs: number) => LaneIndex
    /** Brings the index up to date, or yields another to take its place. */
    readonly refresh: (index: LaneIndex) => Effect.Effect<LaneIndex | void, E, R>
    readonly pollIntervalMs: number
    readonly versionMin: number
  }) => Effect.Effect<LaneIndex, E>
  /** Estimated bytes of all cached lanes. */
  readonly bytes: () => number
}

/** How long a lane that is not asked stays loaded, ms: what is erased leaves the process by then. Chosen. */
export const idleMs = 14 * 60_000
const idleEvery = "1 minute"

/**
 * Least recently used lanes, bounded in bytes and in idle time; loads and polls are single-flight per lane
 * and live in the scope.
 */
export const make = Effect.fnUntraced(function*<E, R>(
  bytesMax: number
): Effect.fn.Return<LaneCache<E, R>, never, R | Scope.Scope> {
  // A runtime of the scope's own services: a load must not run on the asker's transaction, nor in its span.
  const run = yield* FiberSet.makeRuntime<R, void, E>()
  const slots = new Map<string, Slot<E>>()

  const bytes = (): number => [...slots.values()].reduce((sum, slot) => sum + slot.index.bytes, 0)

  yield* gauged(meters.cacheBytes({ [attribute.cache]: "lanes" }), bytes)
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "lanes" }), () => slots.size)

  const evict = (kept: string): void => {
    let total = bytes()
    for (const [key, slot] of slots) {
      if (total <= bytesMax) return
      if (key === kept || slot.running !== null) continue
      slots.delete(key)
      total -= slot.index.bytes
    }
  }

  const evictIdle = Effect.map(monotonicMs, (nowMs) => {
    for (const [key, { polledAtMs, running }] of slots) {
      if (running === null && polledAtMs !== null && nowMs - polledAtMs > idleMs) slots.delete(key)
    }
  })
  yield* evictIdle.pipe(Effect.delay(idleEvery), Effect.forever, Effect.forkScoped)

  const touch = (key: string, create: () => LaneIndex): Slot<E> => {
    const slot = slots.get(key) ?? { index: create(), polledAtMs: null, running: null }
    slots.delete(key)
    slots.set(key, slot)
    return slot
  }

  const start = (
    key: string,
    slot: Slot<E>,
    nowMs: number,
    refresh: Effect.Effect<LaneIndex | void, E, R>
  ): Fiber.Fiber<void, E> => {
    const fiber = run(refresh.pipe(
      Effect.map((index) => {
        if (index instanceof LaneIndex) slot.index = index
        slot.polledAtMs = nowMs
      }),
      Effect.ensuring(Effect.sync(() => {
        slot.running = null
        if (slot.polledAtMs === null) slots.delete(key)
        else evict(key)
      }))
    ), {})
    // A refresh that ended at once has cleared `running` already.
    if (fiber.pollUnsafe() === undefined) slot.running = fiber
    return fiber
  }

  const get: LaneCache<E, R>["get"] = Effect.fnUntraced(function*(key, options) {
    const { create, pollIntervalMs, refresh, versionMin } = options
    const nowMs = yield* monotonicMs
    const wallMs = yield* Clock.currentTimeMillis
    const slot = touch(key, () => create(wallMs))
    const isFresh = (): boolean =>
      slot.polledAtMs !== null && nowMs - slot.polledAtMs < pollIntervalMs && slot.index.version >= versionMin
    if (isFresh()) return slot.index
    // A refresh under way may have read the store before the write that we must see.
    if (slot.running !== null) {
      yield* Fiber.join(slot.running)
      if (isFresh()) return slot.index
    }
    yield* Fiber.join(slot.running ?? start(key, slot, nowMs, refresh(slot.index)))
    return slot.index
  })

  return { get, bytes }
})
