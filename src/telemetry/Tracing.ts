/** Spans around functions and stages, which cost nothing where they are not recorded. */
import { Context, Effect } from "effect"
import { type AnyFiber, meters, MetricsEnabled, timed, timedNow } from "./Metrics.ts"
import { attribute } from "./SemanticConventions.ts"

/**
 * Whether a span that this fiber begins is recorded: tracing is on, and the span around it is sampled, which
 * decides about all within it.
 */
const isTraced = ({ cache: { span, tracerEnabled } }: AnyFiber): boolean =>
  tracerEnabled && (span === undefined || span.sampled)

/** A span around each call, without the stack of the call, which would cost more than most stages. */
const spanned = (name: string) => Effect.withSpan(name, {}, { captureStackTrace: false })

/** A span around each call, where it is recorded. */
export const span = (name: string) => {
  const within = spanned(name)
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber<A, E, R>((fiber) => isTraced(fiber) ? within(self) : self)
}

/** The span of a stage, and a metric of its duration. */
export const stage = (name: string) => {
  const within = spanned(name)
  const measured = timed(meters.stages, { [attribute.stage]: name })
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber<A, E, R>((fiber) => {
      const whole = fiber.getRef(MetricsEnabled) ? measured(self) : self
      return isTraced(fiber) ? within(whole) : whole
    })
}

/**
 * A {@link stage} that computes its result from one service and never waits. Without a recorded span it is
 * one step of the runtime.
 */
export const pureStage = <I, S>(name: string, service: Context.Key<I, S>) => {
  const within = spanned(name)
  const measured = timedNow(meters.stages, { [attribute.stage]: name })
  return <A>(compute: (service: S, fiber: AnyFiber) => A): Effect.Effect<A, never, I> => {
    const whole = Effect.withFiber<A, never, I>((fiber) =>
      Effect.succeed(measured(fiber, () => compute(Context.getUnsafe(fiber.context, service), fiber))))
    return Effect.withFiber<A, never, I>((fiber) => isTraced(fiber) ? within(whole) : whole)
  }
}
