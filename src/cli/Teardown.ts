/* The end of the process: its exit code, and the error that it prints. */
import { Cause, Exit } from "effect"
import { CliError } from "effect/cli"
import { shown } from "../domain/text/HiddenCharacters.ts"
import { failureLine } from "./doctor/ErrorLine.ts"

/** Prints a failure on standard error: its message if it is expected, and the stack for a defect. */
const printFailure = (cause: Cause.Cause<unknown>): void => {
  const error = Cause.squash(cause)
  // Effect's parser has already printed what is wrong with the command line.
  if (error instanceof CliError.ShowHelp) return
  console.error(shown(Cause.hasDies(cause) ? Cause.pretty(cause) : failureLine(error)))
}

/**
 * A process that a signal stops exits with 0, unless the stopped work set another exit code. A failure is
 * printed here, because Effect calls no error handler if a finalizer fails after an interruption.
 */
export const teardown = <E, A>(exit: Exit.Exit<E, A>, onExit: (code: number) => void): void => {
  if (Exit.isSuccess(exit)) return onExit(0)
  if (Cause.hasInterruptsOnly(exit.cause)) return onExit(Number(process.exitCode ?? 0))
  printFailure(exit.cause)
  onExit(1)
}
