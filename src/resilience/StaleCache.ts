/** Reads that fall back to the last value of their key when the store is slow or unavailable. */
import { Cache, Clock, Effect, Exit, Fiber, Option } from "effect"
import { coldLoad } from "./ColdLoad.ts"
import { deadline } from "./Deadline.ts"

/** How long a reader that has a last value waits for a newer one, in milliseconds. Chosen. */
const refreshWaitMs = 100

/** Longest read of the store, in milliseconds; the next reader then starts another. Chosen. */
const readTimeoutMs = 2_000

interface Known<Value> {
  readonly value: Value
}

/**
 * A cache that always asks the store, and answers with the key's last value when the store fails or takes
 * longer than `waitMs`: old numbers predict better than none. A late read continues in the background, at
 * most one for each key that has a value, and later readers see its result. A key without a last value waits
 * for the store and fails with it. Keeps the `capacity` keys stored last. Not for use inside a transaction:
 * a read may outlive it.
 */
export const makeStaleCache = <Key, Value>(capacity: number, waitMs = refreshWaitMs) => {
  const values = new Map<Key, Known<Value>>()
  const inFlight = new Map<Key, Fiber.Fiber<Value>>()

  const store = (key: Key, value: Value) =>
    Effect.sync(() => {
      values.delete(key)
      values.set(key, { value })
      for (const oldest of values.keys()) {
        if (values.size <= capacity) break
        values.delete(oldest)
      }
    })

  /** Stores what was read unless another value was stored during the read, which is newer. */
  const storeUnlessNewer = (key: Key, value: Value, before: Known<Value> | undefined) =>
    Effect.suspend(() => values.get(key) === before ? store(key, value) : Effect.void)

  /** Reads the store in the background. Never fails: without an answer it yields the known value. */
  const refresh = <E, R>(key: Key, fresh: Effect.Effect<Value, E, R>, known: Known<Value>) =>
    fresh.pipe(
      Effect.tap((value) => storeUnlessNewer(key, value, known)),
      deadline(readTimeoutMs, () => `no answer within ${readTimeoutMs} ms`),
      Effect.catch((cause) =>
        Effect.as(Effect.logDebug("The store failed; the last value is used", { cause }), known.value)),
      Effect.onExit(() => Effect.sync(() => inFlight.delete(key))),
      Effect.forkDetach({ startImmediately: true })
    )

  const waitBriefly = (fiber: Fiber.Fiber<Value>, last: Value) =>
    Effect.timeoutOrElse(Fiber.join(fiber), { duration: waitMs, orElse: () => Effect.succeed(last) })

  /** Reads the store for a key without a value. The read continues when its reader leaves. */
  const readFirst = <E, R>(key: Key, fresh: Effect.Effect<Value, E, R>): Effect.Effect<Value, E, R> =>
    Effect.tap(fresh, (value) => storeUnlessNewer(key, value, undefined)).pipe(
      Effect.timeoutOption(readTimeoutMs),
      Effect.forkDetach({ startImmediately: true }),
      Effect.flatMap(Fiber.join),
      Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => fresh }))
    )

  const read = <E, R>(key: Key, fresh: Effect.Effect<Value, E, R>): Effect.Effect<Value, E, R> =>
    Effect.suspend(() => {
      const known = values.get(key)
      if (known === undefined) return readFirst(key, fresh)
      const running = inFlight.get(key)
      if (running !== undefined) return waitBriefly(running, known.value)
      return Effect.flatMap(refresh(key, fresh, known), (fiber) => {
        const exit = fiber.pollUnsafe()
        if (exit !== undefined) return exit
        inFlight.set(key, fiber)
        return waitBriefly(fiber, known.value)
      })
    })

  return {
    /** The last value of a key. */
    last: (key: Key): Value | undefined => values.get(key)?.value,
    /** Replaces the value of a key with one that the caller knows to be newer. */
    store,
    /** The value of a key from `fresh`, or the last one when that fails or is late. */
    read
  }
}

/** How long the values of a cache are used. */
interface CacheRule {
  /** Keys that are kept, count. */
  readonly capacity: number
  /** For how long a value is used without asking the store, ms. */
  readonly freshMs: number
  /** Pause after a read that failed, ms. */
  readonly pauseMs: number
  /** How long a reader that has a last value waits for a newer one, ms. */
  readonly waitMs?: number
}

/** What a read came to, and until when it is not repeated, on the monotonic clock, ns. */
interface Stamped<Value, E = never> {
  readonly read: Exit.Exit<Value, E>
  readonly untilNanos: bigint
}

const nanosPerMs = 1_000_000n

/**
 * A cache that answers with a fresh value in one step of the runtime, reads the store once for all readers of
 * an older one, and falls back to that as {@link makeStaleCache} does. It goes by the monotonic clock: a wall
 * clock that is put back would keep what it holds, and failures too, for as long.
 */
export const makeFreshCache = Effect.fnUntraced(function*<Key, Value, E, R>(
  look: (key: Key) => Effect.Effect<Value, E, R>,
  { capacity, freshMs, pauseMs, waitMs }: CacheRule
) {
  const stamped = <E2>(read: Exit.Exit<Value, E2>): Effect.Effect<Stamped<Value, E2>> =>
    Effect.map(Clock.monotonicTimeNanos, (nowNanos) => {
      const keptMs = Exit.isSuccess(read) ? freshMs : Exit.hasInterrupts(read) ? 0 : pauseMs
      return { read, untilNanos: nowNanos + BigInt(keptMs) * nanosPerMs }
    })
  const lasting = makeStaleCache<Key, Stamped<Value>>(capacity, waitMs)
  const known = yield* Cache.make({
    capacity,
    lookup: (key: Key) => {
      const read = Effect.flatMap(Effect.exit(look(key)), stamped)
      return lasting.last(key) === undefined ? coldLoad(read) : read
    }
  })

  /** The value of a key while it is fresh. */
  const fresh = (key: Key, clock: Clock.Clock): Exit.Exit<Value> | undefined => {
    const last = lasting.last(key)
    return last !== undefined && clock.monotonicTimeNanosUnsafe() < last.untilNanos ? last.read : undefined
  }

  /** What the store said of a key, unless that is too long ago; else what it says now. */
  const ask = (key: Key): Effect.Effect<Stamped<Value>, E, R> =>
    Clock.monotonicTimeNanos.pipe(
      Effect.flatMap((nowNanos) =>
        Cache.invalidateWhen(known, key, ({ untilNanos }) => untilNanos <= nowNanos)),
      Effect.andThen(Cache.get(known, key)),
      Effect.flatMap(({ read, untilNanos }) =>
        Exit.map(read, (value) => ({ read: Exit.succeed(value), untilNanos })))
    )

  return {
    read: (key: Key): Effect.Effect<Value, E, R> =>
      Effect.withFiber((fiber) =>
        fresh(key, fiber.getRef(Clock.Clock))
          ?? Effect.flatMap(lasting.read(key, ask(key)), ({ read }) => read)),
    /** Replaces the value of a key, unless `isNewer` says that its fresh one is the newer of the two. */
    store: (key: Key, value: Value, isNewer: (held: Value) => boolean = () => false): Effect.Effect<void> =>
      Effect.withFiber((fiber) => {
        const held = fresh(key, fiber.getRef(Clock.Clock))
        if (held !== undefined && Exit.isSuccess(held) && isNewer(held.value)) return Effect.void
        return Effect.flatMap(stamped(Exit.succeed(value)), (next) =>
          Effect.andThen(Cache.set(known, key, next), lasting.store(key, next)))
      })
  }
})
