/* The last line and the exit code of a command that a signal ends early. */
import { Effect } from "effect"

const interruptedCode = 130

/**
 * If the work is interrupted, prints `sentence` and sets the exit code 130, so that a script can notice that
 * the work is not done.
 */
export const sayInterrupted = (sentence: () => string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onInterrupt(work, () =>
      Effect.sync(() => {
        process.exitCode = interruptedCode
        console.error(`Interrupted. ${sentence()}`)
      }))
