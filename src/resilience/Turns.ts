/* Turns per key: one effect at a time for each key. */
import { Effect, Semaphore } from "effect"

/** A function that runs an effect when no other runs under its key; those that wait come in their order. */
export const makeTurns = <Key>() => {
  const turns = new Map<Key, { readonly turn: Semaphore.Semaphore; callers: number }>()
  const join = (key: Key) => {
    const known = turns.get(key) ?? { turn: Semaphore.makeUnsafe(1), callers: 0 }
    known.callers++
    turns.set(key, known)
    return known
  }
  return (key: Key) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => join(key)),
      ({ turn }) => turn.withPermit(self),
      (known) => Effect.sync(() => {
        known.callers--
        if (known.callers === 0) turns.delete(key)
      })
    )
}
