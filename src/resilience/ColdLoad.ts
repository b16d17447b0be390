/* Counts what a request loads because no cache of the process has it. Such a request is more work. */
import { Context, Effect } from "effect"

/** Counts a load for the fiber's request. Returns a function that ends the load. */
type BeginLoad = () => () => void

/** The counter of loads. The default counts nothing, and a server replaces it. */
export const ColdLoad = Context.Reference<BeginLoad>("sextant/resilience/ColdLoad", {
  defaultValue: () => () => () => {}
})

/** Runs a load and counts it. Only the request that begins a load runs this, not others that wait for it. */
export const coldLoad = <A, E, R>(load: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const end = fiber.getRef(ColdLoad)()
    return Effect.ensuring(load, Effect.sync(end))
  })
