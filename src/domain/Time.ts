/* Days and moments as texts of answers, and the monotonic clock. */
import { Clock, Effect, type Fiber, Schema } from "effect"

export { dayMs, dayOf } from "./Days.ts"

/**
 * The monotonic clock, ms. The difference of two readings is elapsed time, even if somebody sets the wall
 * clock. The zero is arbitrary, so a reading is never stored, sent, or compared between processes.
 */
export const monotonicMs: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1e6
)

export const monotonicMsOf = (fiber: Fiber.Fiber<unknown, unknown>): number =>
  Number(fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()) / 1e6

const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** Returns whether a text is a day of the calendar, such as `2026-12-31`. */
export const isDay = (text: string): boolean =>
  dayPattern.test(text) && !Number.isNaN(Date.parse(text))
  && new Date(Date.parse(text)).toISOString().startsWith(text)

export const Day = Schema.String.annotate({ format: "date" }).check(Schema.makeFilter(
  (text: string) => isDay(text) || "Expected a day such as 2026-12-31",
  { toJsonSchema: () => ({ pattern: dayPattern.source }) }
))

export const Moment = Schema.String.annotate({ format: "date-time" }).check(
  Schema.makeFilter((text: string) => Number.isFinite(Date.parse(text)) || "Expected a time")
)
