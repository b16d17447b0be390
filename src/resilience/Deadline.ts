/** Bounds on how long a caller waits for work, whether or not the work can be stopped in that time. */
import { type Duration, Effect, Fiber } from "effect"

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const joined = <A, E, E2>(
  fiber: Fiber.Fiber<A, E>,
  restore: Restore,
  duration: Duration.Input,
  late: () => E2
): Effect.Effect<A, E | E2> =>
  restore(Fiber.join(fiber)).pipe(
    (waiting) => restore(Effect.timeoutOrElse(waiting, {
      duration,
      orElse: () => Effect.suspend(() => Effect.fail(late()))
    })),
    // A fiber that has ended ignores this.
    Effect.onExit(() => Effect.sync(() => fiber.interruptUnsafe()))
  )

/**
 * The effect's result, or after `duration` the failure `late`, at once. The effect is then interrupted, but
 * its end is not awaited: a statement on a stalled connection may take as long to stop as to answer.
 */
export const deadline = <E2>(duration: Duration.Input, late: () => E2) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(effect)), (fiber) => joined(fiber, restore, duration, late)))

/**
 * {@link deadline} for work that usually succeeds without waiting, as with a cached value: the effect starts
 * at once, and a timer is set only when it does not end at once.
 */
export const deadlineIfPending = <E2>(duration: Duration.Input, late: () => E2) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDetach(restore(effect), { startImmediately: true }),
      (fiber): Effect.Effect<A, E | E2> => fiber.pollUnsafe() ?? joined(fiber, restore, duration, late)
    ))
