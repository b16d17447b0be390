import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { HttpTraceContext } from "effect/http"
import { sampledTracer } from "../../../src/telemetry/otlp/SampledTracer.ts"

/** The tracer over one that counts its spans, by name, and has a hook of its own. */
const counted = () => {
  const made: Array<string> = []
  const tracer = sampledTracer(Tracer.make({
    span: (options) => {
      made.push(options.name)
      return new Tracer.NativeSpan(options)
    },
    context: (primitive, fiber) => primitive["~effect/Effect/evaluate"](fiber)
  }))
  return { made, tracer }
}

/** A root and two spans below each other, whose innermost span is the result. */
const nested = (sampled: boolean, root?: Tracer.AnySpan) =>
  Effect.currentSpan.pipe(
    Effect.tap(Effect.annotateCurrentSpan("rows", 3)),
    Effect.withSpan("sql.execute", { kind: "client" }),
    Effect.withSpan("sql.transaction"),
    Effect.withSpan("root", { sampled, ...(root === undefined ? {} : { parent: root }) })
  )

describe("The tracer of the service", () => {
  it.effect("makes every span of a sampled trace, with its parent and attributes", () =>
    Effect.gen(function*() {
      const { made, tracer } = counted()
      const inner = yield* nested(true).pipe(Effect.provideService(Tracer.Tracer, tracer))
      assert.deepStrictEqual(made, ["root", "sql.transaction", "sql.execute"])
      assert.strictEqual(inner.attributes.get("rows"), 3)
      assert.strictEqual(inner.kind, "client")
      const parent = inner.parent._tag === "Some" && inner.parent.value._tag === "Span" ? inner.parent.value : null
      assert.strictEqual(parent?.name, "sql.transaction")
    }))

  it.effect("makes one span of a trace that is not sampled, whose ids go on to other services", () =>
    Effect.gen(function*() {
      const { made, tracer } = counted()
      const caller = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: false })
      const inner = yield* nested(false, caller).pipe(Effect.provideService(Tracer.Tracer, tracer))
      assert.deepStrictEqual(made, ["root"])
      assert.strictEqual(inner.attributes.size, 0)
      assert.isFalse(inner.sampled)
      const { traceparent } = HttpTraceContext.toHeaders(inner)
      assert.strictEqual(traceparent, `00-${caller.traceId}-${inner.spanId}-00`)
      assert.match(inner.spanId, /^[0-9a-f]{16}$/)
    }))

  it.effect("asks anew for a root below a span that is not sampled", () =>
    Effect.gen(function*() {
      const { made, tracer } = counted()
      const sampled = yield* Effect.currentSpan.pipe(
        Effect.withSpan("other", { root: true, sampled: true }),
        Effect.withSpan("outer", { sampled: false }),
        Effect.provideService(Tracer.Tracer, tracer)
      )
      assert.deepStrictEqual(made, ["outer", "other"])
      assert.isTrue(sampled.sampled)
    }))

  it("has no hook before each step of the runtime", () => {
    assert.isUndefined(counted().tracer.context)
  })
})
