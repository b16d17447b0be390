/** Attributes of spans, and whether they may hold texts of callers. */
import { Context, Effect, Tracer } from "effect"

/** Whether spans may hold texts of callers; false unless the operator allows it. */
export const CaptureContent = Context.Reference<boolean>("sextant/telemetry/Spans/CaptureContent", {
  defaultValue: () => false
})

type SpanAttributes = Readonly<Record<string, unknown>>

/**
 * Adds attributes to the current span. They are computed only for a sampled span, so that they cost nothing
 * without tracing.
 *
 * @param capturesContent whether they may hold texts of callers
 */
export const annotate = (attributes: (capturesContent: boolean) => SpanAttributes): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
    if (span === undefined || span._tag !== "Span" || !span.sampled) return Effect.void
    const made = attributes(fiber.getRef(CaptureContent))
    for (const [name, value] of Object.entries(made)) span.attribute(name, value)
    return Effect.void
  })
