/* The lanes' indexes of a process: loaded once, refreshed, and dropped when they are not used. */
import { Clock, Effect, Fiber, FiberSet, type Scope } from "effect"
import { monotonicMs } from "../../domain/Time.ts"
import { coldLoadIn } from "../../resilience/ColdLoad.ts"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { LaneIndex } from "./LaneIndex.ts"

/** A cached lane. */
interface Slot<E> {
  index: LaneIndex
  /** When the last successful refresh began, monotonic; null until the lane is loaded. */
  polledAtMs: number | null
  running: Fiber.Fiber<void, E> | null
}

export interface LaneCache<E, R> {
  /**
   * The lane's index, loaded and at most `pollIntervalMs` old, or at least at `versionMin` if the store has
   * it. A caller that gives up leaves the load running, so that the next caller finds it done.
   */
  readonly get: (key: string, options: {
    readonly create: (nowMs: number) => LaneIndex
    /** Brings the index up to date, or yields another one to replace it. */
    readonly refresh: (index: LaneIndex) => Effect.Effect<LaneIndex | void, E, R>
    readonly pollIntervalMs: number
    readonly versionMin: number
  }) => Effect.Effect<LaneIndex, E>
  /** The lane's index as it is held, however old; undefined where it is not loaded. */
  readonly held: (key: string) => LaneIndex | undefined
  /** Estimated bytes of all cached lanes. */
  readonly bytes: () => number
}

/** How long a lane that is not used stays loaded, ms. Erased data leave the process within it. Chosen. */
const idleMs = 14 * 60_000
const idleEvery = "1 minute"

/** The cached lanes by key, the least recently used one first. */
class Slots<E> {
  readonly #byKey = new Map<string, Slot<E>>()

  get size(): number {
    return this.#byKey.size
  }

  /** Estimated bytes of all lanes. */
  bytes(): number {
    return [...this.#byKey.values()].reduce((sum, slot) => sum + slot.index.bytes, 0)
  }

  /** The slot of the key, new where there is none, as the most recently used one. */
  touch(key: string, create: () => LaneIndex): Slot<E> {
    const slot = this.#byKey.get(key) ?? { index: create(), polledAtMs: null, running: null }
    this.#byKey.delete(key)
    this.#byKey.set(key, slot)
    return slot
  }

  /** The index of a loaded lane. */
  held(key: string): LaneIndex | undefined {
    const slot = this.#byKey.get(key)
    return slot === undefined || slot.polledAtMs === null ? undefined : slot.index
  }

  drop(key: string): void {
    this.#byKey.delete(key)
  }

  /** Drops the least recently used lanes above `bytesMax`, but not `kept` nor a lane that is refreshed. */
  evict(kept: string, bytesMax: number): void {
    let total = this.bytes()
    for (const [key, slot] of this.#byKey) {
      if (total <= bytesMax) return
      if (key === kept || slot.running !== null) continue
      this.#byKey.delete(key)
      total -= slot.index.bytes
    }
  }

  /** Drops the lanes that were not polled for `idleMs`. */
  evictIdle(nowMs: number): void {
    for (const [key, { polledAtMs, running }] of this.#byKey) {
      if (running === null && polledAtMs !== null && nowMs - polledAtMs > idleMs) this.#byKey.delete(key)
    }
  }
}

/**
 * The least recently used lanes are dropped, by a bound in bytes and by idle time. A lane is loaded or polled
 * by one fiber at a time, which lives in the scope.
 */
export const make = Effect.fnUntraced(function*<E, R>(
  bytesMax: number
): Effect.fn.Return<LaneCache<E, R>, never, R | Scope.Scope> {
  // A runtime with the scope's own services: a load must run neither in the caller's transaction nor in its
  // span.
  const run = yield* FiberSet.makeRuntime<R, void, E>()
  const slots = new Slots<E>()
  yield* gauged(meters.cacheBytes({ [attribute.cache]: "lanes" }), () => slots.bytes())
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "lanes" }), () => slots.size)
  yield* Effect.map(monotonicMs, (nowMs) => slots.evictIdle(nowMs)).pipe(
    Effect.delay(idleEvery),
    Effect.forever,
    Effect.forkScoped
  )

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
        if (slot.polledAtMs === null) slots.drop(key)
        else slots.evict(key, bytesMax)
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
    const slot = slots.touch(key, () => create(wallMs))
    const isFresh = (): boolean =>
      slot.polledAtMs !== null && nowMs - slot.polledAtMs < pollIntervalMs && slot.index.version >= versionMin
    if (isFresh()) return slot.index
    // A running refresh may have read the store before the write that the caller must see.
    if (slot.running !== null) {
      yield* Fiber.join(slot.running)
      if (isFresh()) return slot.index
    }
    const starting = () => slot.running ?? start(key, slot, nowMs, refresh(slot.index))
    const isLoading = slot.running === null && slot.polledAtMs === null
    yield* Fiber.join(isLoading ? yield* coldLoadIn(starting) : starting())
    return slot.index
  })

  return { get, held: (key) => slots.held(key), bytes: () => slots.bytes() }
})
