/** A bound on how long a caller waits for work, whether or not the work can be stopped in that time. */
import { type Context, type Duration, Effect, Exit } from "effect"

/**
 * The effect's result, or after `duration` the failure `late`, at once. The effect is then interrupted, but
 * its end is not awaited: a statement on a stalled connection may take as long to stop as to answer. It
 * begins at once, and a timer is set only when it does not end at once, as with a cached value.
 */
export const deadline = <E2>(duration: Duration.Input, late: () => E2) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
  Exit.isExit(effect) ? effect : Effect.contextWith((context: Context.Context<R>) =>
    // One step of the runtime begins the work and says what its caller's interruption does, so that none
    // comes between the two.
    Effect.callback<A, E | E2>((resume) => {
      const work = Effect.runForkWith(context)(effect)
      const ended = work.pollUnsafe()
      if (ended !== undefined) return resume(ended)
      const timer = Effect.runForkWith(context)(Effect.sleep(duration))
      timer.addObserver((exit) => {
        if (Exit.isFailure(exit)) return
        resume(Effect.suspend(() => Effect.fail(late())))
        work.interruptUnsafe()
      })
      work.addObserver((exit) => {
        timer.interruptUnsafe()
        resume(exit)
      })
      return Effect.sync(() => {
        timer.interruptUnsafe()
        work.interruptUnsafe()
      })
    }))
