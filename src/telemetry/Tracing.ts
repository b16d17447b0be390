/** Spans around functions and stages. A span that is not recorded costs almost nothing. */
import { Context, Effect } from "effect"
import { type AnyFiber, meters, MetricsEnabled, timed, timedNow } from "./Metrics.ts"
import { attribute } from "./SemanticConventions.ts"

/** True if tracing is on and the fiber has no span or a sampled span. */
const isTraced = ({ cache: { span, tracerEnabled } }: AnyFiber): boolean =>
  tracerEnabled && (span === undefined || span.sampled)

const spanned = (name: string) => Effect.withSpan(name, {}, { captureStackTrace: false })

/** Puts a span around an effect, if the span would be recorded. */
export const span = (name: string) => {
  const within = spanned(name)
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber<A, E, R>((fiber) => isTraced(fiber) ? within(self) : self)
}

/** Adds a span to a stage, and measures its duration. */
export const stage = (name: string) => {
  const within = spanned(name)
  const measured = timed(meters.stages, { [attribute.stage]: name })
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber<A, E, R>((fiber) => {
      const whole = fiber.getRef(MetricsEnabled) ? measured(self) : self
      return isTraced(fiber) ? within(whole) : whole
    })
}

/** A {@link stage} that never waits. */
export const pureStage = <I, S>(name: string, service: Context.Key<I, S>) => {
  const within = spanned(name)
  const measured = timedNow(meters.stages, { [attribute.stage]: name })
  return <A>(compute: (service: S, fiber: AnyFiber) => A): Effect.Effect<A, never, I> => {
    const whole = Effect.withFiber<A, never, I>((fiber) =>
      Effect.succeed(measured(fiber, () => compute(Context.getUnsafe(fiber.context, service), fiber))))
    return Effect.withFiber<A, never, I>((fiber) => isTraced(fiber) ? within(whole) : whole)
  }
}
