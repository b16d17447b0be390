import { Effect, Fiber } from "effect"
import { deadlineUninterrupted } from "./Deadline.ts"

/** How long a reader waits for news of what is known from before, in ms: answers have a deadline. Chosen. */
const refreshWaitMs = 100

/** How long the store is waited for at all, in ms; the next reader then asks it anew. Chosen. */
const readTimeoutMs = 2_000

interface Known<Value> {
  readonly value: Value
}

/**
 * Reads that go on with what was read last where the store is out or slow: old numbers predict better than
 * none. A read that is late goes on by itself, one of a key at a time, and those after it find what it
 * brought. Keeps the `capacity` keys read last. Not for use inside a transaction.
 */
export const makeStaleCache = <Key, Value>(capacity: number) => {
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

  /** What was noted while it was read is newer than what the store was asked for. */
  const storeUnlessNewer = (key: Key, value: Value, before: Known<Value> | undefined) =>
    Effect.suspend(() => values.get(key) === before ? store(key, value) : Effect.void)

  /** Never fails: what is `known` stands for what the store does not tell. */
  const refresh = <E, R>(key: Key, fresh: Effect.Effect<Value, E, R>, known: Known<Value>) =>
    fresh.pipe(
      Effect.tap((value) => storeUnlessNewer(key, value, known)),
      deadlineUninterrupted(readTimeoutMs, () => `no answer within ${readTimeoutMs} ms`),
      Effect.catch((cause) => Effect.as(Effect.logDebug("Read as it was last", { cause }), known.value)),
      Effect.onExit(() => Effect.sync(() => inFlight.delete(key))),
      Effect.forkDetach({ startImmediately: true })
    )

  const waitBriefly = (fiber: Fiber.Fiber<Value>, last: Value) =>
    Effect.timeoutOrElse(Fiber.join(fiber), { duration: refreshWaitMs, orElse: () => Effect.succeed(last) })

  const read = <E, R>(key: Key, fresh: Effect.Effect<Value, E, R>): Effect.Effect<Value, E, R> =>
    Effect.suspend(() => {
      const known = values.get(key)
      if (known === undefined) return Effect.tap(fresh, (value) => storeUnlessNewer(key, value, known))
      const running = inFlight.get(key)
      if (running !== undefined) return waitBriefly(running, known.value)
      return Effect.flatMap(refresh(key, fresh, known), (fiber) => {
        const exit = fiber.pollUnsafe()
        if (exit !== undefined) return exit
        inFlight.set(key, fiber)
        return waitBriefly(fiber, known.value)
      })
    })

  return { note: store, read }
}
