/** Adds attributes to spans. */
import { Context, Effect } from "effect"
import type { AnyFiber } from "./Metrics.ts"

/** True if the operator allows spans to contain texts of callers. */
export const CaptureContent = Context.Reference<boolean>("sextant/telemetry/Spans/CaptureContent", {
  defaultValue: () => false
})

type SpanAttributes = Readonly<Record<string, unknown>>

/**
 * Adds attributes, which are computed only for a sampled span, so that they cost nothing without tracing.
 * @param attributes receives true if the attributes may contain texts of callers
 */
export const annotateNow = (
  fiber: AnyFiber,
  attributes: (capturesContent: boolean) => SpanAttributes
): void => {
  const { cache: { span } } = fiber
  if (span === undefined || span._tag !== "Span" || !span.sampled) return
  const made = attributes(fiber.getRef(CaptureContent))
  for (const [name, value] of Object.entries(made)) span.attribute(name, value)
}

export const annotate = (attributes: (capturesContent: boolean) => SpanAttributes): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    annotateNow(fiber, attributes)
    return Effect.void
  })
