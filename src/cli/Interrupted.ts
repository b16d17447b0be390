/* The last line and the exit code of a command that a signal ends early. */
import { Effect } from "effect"

/** The exit code of a process that Ctrl-C ended. */
const interruptedCode = 130

/**
 * Runs work that prints `sentence` when it is interrupted. The process then ends with 130, so that a script
 * does not take half of the work for the whole.
 */
export const sayInterrupted = (sentence: () => string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onInterrupt(work, () =>
      Effect.sync(() => {
        process.exitCode = interruptedCode
        console.error(`Interrupted. ${sentence()}`)
      }))
