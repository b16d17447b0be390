/* Units of time, and the monotonic clock. */
import { Clock, Effect, type Fiber } from "effect"

/** A day, in milliseconds. */
export const dayMs = 86_400_000

/**
 * The monotonic clock, ms: the difference of two readings is elapsed time, whatever the wall clock does. Its
 * zero is arbitrary, so a reading is never stored, sent, or compared between processes.
 */
export const monotonicMs: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1e6
)

/** {@link monotonicMs} of a fiber that runs. */
export const monotonicMsOf = (fiber: Fiber.Fiber<unknown, unknown>): number =>
  Number(fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()) / 1e6

/** The day of a time in UTC, YYYY-MM-DD. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Whether a text is a day of the calendar, `2026-12-31`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
  && new Date(Date.parse(text)).toISOString().startsWith(text)
