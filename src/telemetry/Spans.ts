import { Context, Effect, Tracer } from "effect"

/** Whether spans may hold texts of callers. Never, unless an operator says so. */
export const CaptureContent = Context.Reference<boolean>("sextant/telemetry/Spans/CaptureContent", {
  defaultValue: () => false
})

type Attributes = Readonly<Record<string, unknown>>

/**
 * Adds attributes to the current span, made only where it is kept: not when nobody traces, nor in a trace
 * that was not sampled.
 *
 * @param capturesContent whether texts of callers may be among them
 */
export const annotate = (attributes: (capturesContent: boolean) => Attributes): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
    if (span === undefined || span._tag !== "Span" || !span.sampled) return Effect.void
    const made = attributes(fiber.getRef(CaptureContent))
    for (const [name, value] of Object.entries(made)) span.attribute(name, value)
    return Effect.void
  })
