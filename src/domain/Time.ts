import { Clock, Effect } from "effect"

/** A day, in milliseconds. */
export const dayMs = 86_400_000

/**
 * Milliseconds since some moment in the past, by a clock that nobody sets: the difference of two is a time
 * that has gone by, whatever the wall clock did meanwhile. Never to be stored, sent, or compared between
 * processes.
 */
export const monotonicMs: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1e6
)
