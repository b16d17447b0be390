/* Clocks whose monotonic time a test decides; the rest is the clock of the test. */
import { Clock, Effect } from "effect"

/** Runs with that monotonic time, ns. */
export const atTimes = (nanos: () => bigint) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(self, Clock.Clock, {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
      currentTimeMillis: clock.currentTimeMillis,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeNanos: clock.currentTimeNanos,
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) => clock.sleep(duration)
    }))
