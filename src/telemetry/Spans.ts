/** Attributes of spans, and whether they may hold texts of callers. */
import { Context, Effect } from "effect"
import type { AnyFiber } from "./Metrics.ts"

/** Whether spans may hold texts of callers; false unless the operator allows it. */
export const CaptureContent = Context.Reference<boolean>("sextant/telemetry/Spans/CaptureContent", {
  defaultValue: () => false
})

type SpanAttributes = Readonly<Record<string, unknown>>

/**
 * Adds attributes to the fiber's span at once. They are computed only for a sampled span, so that they cost
 * nothing without tracing.
 *
 * @param attributes gets whether they may hold texts of callers
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

/** {@link annotateNow} as an effect. */
export const annotate = (attributes: (capturesContent: boolean) => SpanAttributes): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    annotateNow(fiber, attributes)
    return Effect.void
  })
