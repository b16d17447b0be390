/* What a request loads because no cache of the process holds it, which makes it more work than others. */
import { Context, Effect } from "effect"

/** Counts a load for the request of the fiber that begins it, and yields what ends it. */
type BeginLoad = () => () => void

/** The default, outside of a server, counts nothing. */
export const ColdLoad = Context.Reference<BeginLoad>("sextant/resilience/ColdLoad", {
  defaultValue: () => () => () => {}
})

/** Counts a load that the effect is. To be run by who begins it, and not by those who wait for the same. */
export const coldLoad = <A, E, R>(load: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const end = fiber.getRef(ColdLoad)()
    return Effect.ensuring(load, Effect.sync(end))
  })
