/* Counts the data that a request must load, because no cache of the process has it. */
import { Context, Effect } from "effect"

/** Counts a load as begun, and returns the function that counts it as ended. */
type BeginLoad = () => () => void

/** Outside of a server, loads are not counted. */
export const ColdLoad = Context.Reference<BeginLoad>("sextant/resilience/ColdLoad", {
  defaultValue: () => () => () => {}
})

export const coldLoad = <A, E, R>(load: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const end = fiber.getRef(ColdLoad)()
    return Effect.ensuring(load, Effect.sync(end))
  })
