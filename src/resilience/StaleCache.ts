import { Effect, Fiber } from "effect"
import { heldOrWithin } from "./Deadline.ts"

/** How long a reader waits for news of what is known from before, in ms: answers have a deadline. Chosen. */
const newsMs = 100

/** How long the store is waited for at all, in ms; the next reader then asks it anew. Chosen. */
const patienceMs = 2_000

interface Known<Value> {
  readonly value: Value
}

/**
 * Reads that go on with what was read last where the store is out or slow: old numbers predict better than
 * none. A read that is late goes on by itself, one of a key at a time, and those after it find what it
 * brought. Keeps the `capacity` keys read last. Not for use inside a transaction.
 */
export const makeLastKnown = <Key, Value>(capacity: number) => {
  const values = new Map<Key, Known<Value>>()
  const underway = new Map<Key, Fiber.Fiber<Value>>()

  const note = (key: Key, value: Value) =>
    Effect.sync(() => {
      values.delete(key)
      values.set(key, { value })
      for (const oldest of values.keys()) {
        if (values.size <= capacity) break
        values.delete(oldest)
      }
    })

  /** What was noted while it was read is newer than what the store was asked for. */
  const noteUnlessNewer = (key: Key, value: Value, before: Known<Value> | undefined) =>
    Effect.suspend(() => values.get(key) === before ? note(key, value) : Effect.void)

  /** Never fails: what is `known` stands for what the store does not tell. */
  const renew = <E, R>(key: Key, fresh: Effect.Effect<Value, E, R>, known: Known<Value>) =>
    fresh.pipe(
      Effect.tap((value) => noteUnlessNewer(key, value, known)),
      heldOrWithin(patienceMs, () => `no answer within ${patienceMs} ms`),
      Effect.catch((cause) => Effect.as(Effect.logDebug("Read as it was last", { cause }), known.value)),
      Effect.onExit(() => Effect.sync(() => underway.delete(key))),
      Effect.forkDetach({ startImmediately: true })
    )

  const soon = (fiber: Fiber.Fiber<Value>, last: Value) =>
    Effect.timeoutOrElse(Fiber.join(fiber), { duration: newsMs, orElse: () => Effect.succeed(last) })

  const read = <E, R>(key: Key, fresh: Effect.Effect<Value, E, R>): Effect.Effect<Value, E, R> =>
    Effect.suspend(() => {
      const known = values.get(key)
      if (known === undefined) return Effect.tap(fresh, (value) => noteUnlessNewer(key, value, known))
      const running = underway.get(key)
      if (running !== undefined) return soon(running, known.value)
      return Effect.flatMap(renew(key, fresh, known), (fiber) => {
        const exit = fiber.pollUnsafe()
        if (exit !== undefined) return exit
        underway.set(key, fiber)
        return soon(fiber, known.value)
      })
    })

  return { note, read }
}
