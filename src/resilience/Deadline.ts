/** A deadline after which the caller goes on, even if the work cannot be stopped in time. */
import { type Context, type Duration, Effect, Exit } from "effect"

/**
 * Fails with `late()` if the effect has not ended after `duration`. A late effect is interrupted, but its end
 * is not awaited, because a statement on a stalled connection may take long to stop.
 */
export const deadline = <E2>(duration: Duration.Input, late: () => E2) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
  Exit.isExit(effect) ? effect : Effect.contextWith((context: Context.Context<R>) =>
    // One step starts the work and registers the clean-up, so no interruption can come between.
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
