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
    // Nothing to do for a fiber that has ended.
    Effect.onExit(() => Effect.sync(() => fiber.interruptUnsafe()))
  )

/**
 * Waits for `effect` at most `duration`, then fails with `late` at once. The effect is interrupted but not
 * waited for: a statement on a stalled connection may take as long to be interrupted as to answer.
 */
export const deadline = <E2>(duration: Duration.Input, late: () => E2) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(restore(effect)), (fiber) => joined(fiber, restore, duration, late)))

/**
 * {@link deadline} for what the process holds more often than not: it is begun at once, and a clock is set
 * only where it has to wait.
 */
export const deadlineUninterrupted = <E2>(duration: Duration.Input, late: () => E2) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDetach(restore(effect), { startImmediately: true }),
      (fiber): Effect.Effect<A, E | E2> => fiber.pollUnsafe() ?? joined(fiber, restore, duration, late)
    ))
