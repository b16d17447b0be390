/* The last line and the exit code of a command that Ctrl-C or a signal ends early. */
import { Effect } from "effect"

/** The exit code of a process that Ctrl-C ended. */
const interruptedCode = 130

/**
 * Work that says what its interruption left behind. The process then ends as one that failed: a script that
 * goes on after the command must not take half of the work for all.
 */
export const sayInterrupted = (sentence: () => string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onInterrupt(work, () =>
      Effect.sync(() => {
        process.exitCode = interruptedCode
        console.error(`Interrupted. ${sentence()}`)
      }))
