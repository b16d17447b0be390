/** A tracer that spends little on traces that are not sampled. */
import { Option, Tracer } from "effect"

/** The span of an unsampled trace has the ids for logs and `traceparent`, and no attributes. */
class UnsampledSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly sampled = false
  readonly attributes: ReadonlyMap<string, unknown> = new Map()
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  readonly name: string
  readonly spanId: string
  readonly traceId: string
  readonly kind: Tracer.SpanKind
  readonly parent: Tracer.Span["parent"]
  readonly annotations: Tracer.Span["annotations"]
  readonly status: Tracer.SpanStatus

  constructor({ annotations, kind, name, parent, spanId, status, traceId }: Tracer.Span) {
    this.name = name
    this.spanId = spanId
    this.traceId = traceId
    this.kind = kind
    this.parent = parent
    this.annotations = annotations
    this.status = status
  }

  attribute() {}
  event() {}
  addLinks() {}
  end() {}
}

/**
 * Makes a tracer that uses `tracer` for sampled traces. An unsampled span also stands for all spans below it.
 */
export const sampledTracer = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      if (parent instanceof UnsampledSpan) return parent
      const made = tracer.span(options)
      return made.sampled ? made : new UnsampledSpan(made)
    }
  })
