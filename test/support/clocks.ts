/* Clocks of which a test decides one time; the rest is the clock of the test. */
import { Clock, Effect } from "effect"

const withClock = (over: (clock: Clock.Clock) => Partial<Clock.Clock>) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(self, Clock.Clock, {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
      currentTimeMillis: clock.currentTimeMillis,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration),
      ...over(clock)
    }))

/** Runs with that monotonic time, ns. */
export const atTimes = (nanos: () => bigint) =>
  withClock(() => ({ monotonicTimeNanosUnsafe: nanos, monotonicTimeNanos: Effect.sync(nanos) }))

/** Runs with a wall clock that is so far ahead at each reading, ms. */
export const ahead = (ms: () => number) =>
  withClock((clock) => ({
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ms(),
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (nowMs) => nowMs + ms())
  }))
