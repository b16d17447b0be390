/* The steps of a start that take a second or more, for people who wait for it. */
import { Context, Effect } from "effect"

interface StartStepsShape {
  /** Shows what a start does, for as long as the work takes. */
  readonly during: <A, E, R>(what: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** How steps are shown: as lines of the log, unless a terminal shows them. */
export const StartSteps = Context.Reference<StartStepsShape>("sextant/telemetry/StartSteps", {
  defaultValue: () => ({ during: (what, work) => Effect.andThen(Effect.logInfo(what), work) })
})

/** Runs a step of a start, and shows it meanwhile. */
export const startStep = <A, E, R>(what: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(StartSteps, ({ during }) => during(what, work))
