/** Spans around functions and stages. */
import { Effect, References } from "effect"
import { meters, timed } from "./Metrics.ts"
import { attribute } from "./SemanticConventions.ts"

/**
 * A span around each call, where tracing is on. It does not capture the stack of the call, which would cost
 * more than most stages.
 */
export const span = (name: string) => {
  const traced = Effect.withSpan(name, {}, { captureStackTrace: false })
  return <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.withFiber<A, E, R>((fiber) => fiber.getRef(References.TracerEnabled) ? traced(self) : self)
}

/** The span of a stage, and a metric of its duration. */
export const stage = (name: string) => {
  const traced = span(name)
  const measured = timed(meters.stages, { [attribute.stage]: name })
  return <A, E, R>(self: Effect.Effect<A, E, R>) => traced(measured(self))
}
