import { Effect, References } from "effect"
import { meters, timed } from "./Metrics.ts"
import { attribute } from "./SemanticConventions.ts"

/**
 * A span around each call where anybody traces, without the stack of the call: taking that costs more than
 * most stages do.
 */
export const span = (name: string) => {
  const traced = Effect.withSpan(name, {}, { captureStackTrace: false })
  return <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.withFiber<A, E, R>((fiber) => fiber.getRef(References.TracerEnabled) ? traced(self) : self)
}

/** A stage of a conductor: its span, and how long it took. */
export const stage = (name: string) => {
  const traced = span(name)
  const measured = timed(meters.stages, { [attribute.stage]: name })
  return <A, E, R>(self: Effect.Effect<A, E, R>) => traced(measured(self))
}
