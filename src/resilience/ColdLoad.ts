/* Counts the data that a request must load because no cache of the process has it. A request that must
   load data is more work than others. */
import { Context, Effect } from "effect"

/** Counts a load for the request of this fiber. Returns the function that ends the load. */
type BeginLoad = () => () => void

/** The function that counts loads. The default function counts nothing, and a server replaces it. */
export const ColdLoad = Context.Reference<BeginLoad>("sextant/resilience/ColdLoad", {
  defaultValue: () => () => () => {}
})

/**
 * Runs a load and counts it. Only the request that begins a load is charged for it, not the requests that
 * wait for the same load.
 */
export const coldLoad = <A, E, R>(load: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const end = fiber.getRef(ColdLoad)()
    return Effect.ensuring(load, Effect.sync(end))
  })
