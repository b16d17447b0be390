/* The steps of a start that take a second or more, for the person who waits. */
import { Context, Effect } from "effect"

interface StartStepsShape {
  readonly during: <A, E, R>(what: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Shows the steps of a start: in the log by default, and on the terminal for a command on a terminal. */
export const StartSteps = Context.Reference<StartStepsShape>("sextant/telemetry/StartSteps", {
  defaultValue: () => ({ during: (what, work) => Effect.andThen(Effect.logInfo(what), work) })
})

export const startStep = <A, E, R>(what: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(StartSteps, ({ during }) => during(what, work))
