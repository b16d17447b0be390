/** A tracer for spans that are mostly not sampled. */
import { Option, Tracer } from "effect"

/** The span of a trace that is not sampled: the ids that logs and `traceparent` need, and no attributes. */
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
 * Makes spans as `tracer` does while their trace is sampled. Of a trace that is not sampled it makes one
 * span, which stands for all spans below it, also those of statements and of calls to other services.
 *
 * It leaves out the hook with which `tracer` would set OpenTelemetry's own active span before each step of
 * the runtime. That span is read only through a context manager, and this service registers none.
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
