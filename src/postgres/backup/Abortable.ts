// Runs a promise that can be aborted as an effect whose interruption waits until it has cleaned up.
import { Effect } from "effect"

/**
 * Runs work that can be aborted. When the effect is interrupted it aborts the work and waits for its end, so
 * that no file of it is left or still written.
 */
export const abortable = <A, E>(
  work: (signal: AbortSignal) => Promise<A>,
  failureOf: (cause: unknown) => E
): Effect.Effect<A, E> =>
  Effect.callback<A, E>((resume) => {
    const controller = new AbortController()
    const ended = work(controller.signal).then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => resume(Effect.fail(failureOf(cause)))
    )
    return Effect.promise(() => {
      controller.abort()
      return ended
    })
  })
