import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, References, Tracer } from "effect"
import { MetricsEnabled } from "../../src/telemetry/Metrics.ts"
import { pureStage, span, stage } from "../../src/telemetry/Tracing.ts"
import { engine, recommend } from "../engine/pipelines.ts"

/** A tracer, and the spans that it was asked for: each as its name under its parent's. */
const recording = () => {
  const spans: Array<string> = []
  const attributes = new Map<string, ReadonlyArray<string>>()
  const tracer = Tracer.make({
    span: (options) => {
      const parent = options.parent._tag === "Some" && options.parent.value._tag === "Span" ? options.parent.value.name : "-"
      spans.push(`${options.name} < ${parent}`)
      const made = new Tracer.NativeSpan(options)
      const attribute = made.attribute.bind(made)
      made.attribute = (key, value) => {
        attributes.set(options.name, [...attributes.get(options.name) ?? [], key])
        attribute(key, value)
      }
      return made
    }
  })
  return { attributes, spans, tracer }
}

const outer = (sampled: boolean) => Effect.withSpan("outer", { sampled })

describe("A recommendation", () => {
  it.effect("has a span for itself and each stage that runs, with what was decided", () =>
    Effect.gen(function*() {
      const { attributes, spans, tracer } = recording()
      yield* recommend().pipe(outer(true), Effect.provideService(Tracer.Tracer, tracer))
      assert.deepStrictEqual(spans, [
        "outer < -", "Recommender.recommend < outer", "Recommender.advise < Recommender.recommend",
        ...["accountSettings", "classify", "filter", "recall", "laneNumbers", "keptTask", "health", "aggregate", "drift",
          "cost", "optimize", "escalate"].map((name) => `${name} < Recommender.advise`),
        "Recommender.remember < Recommender.recommend"
      ])
      assert.deepStrictEqual([...attributes.keys()], ["filter", "recall", "optimize", "Recommender.advise"])
      assert.lengthOf(attributes.get("optimize") ?? [], 6)
    }).pipe(Effect.provide(engine())))

  it.effect("makes no span under one that is not sampled, and none without tracing", () =>
    Effect.gen(function*() {
      const { spans, tracer } = recording()
      yield* recommend().pipe(outer(false), Effect.provideService(Tracer.Tracer, tracer))
      assert.deepStrictEqual(spans, ["outer < -"])
      yield* recommend().pipe(
        Effect.provideService(References.TracerEnabled, false), Effect.provideService(Tracer.Tracer, tracer)
      )
      assert.deepStrictEqual(spans, ["outer < -"])
    }).pipe(Effect.provide(engine())))
})

class Doubling extends Context.Service<Doubling, { readonly by: number }>()("test/Doubling") {}

const doubled = pureStage("doubled", Doubling)

describe("A pure stage", () => {
  it.effect("yields what it computes from its service, traced and timed or not", () =>
    Effect.gen(function*() {
      const { spans, tracer } = recording()
      const twice = doubled(({ by }) => by * 2)
      for (const isTraced of [true, false]) {
        for (const isTimed of [true, false]) {
          const value = yield* twice.pipe(
            Effect.provideService(Doubling, { by: 4 }),
            Effect.provideService(References.TracerEnabled, isTraced),
            Effect.provideService(MetricsEnabled, isTimed),
            Effect.provideService(Tracer.Tracer, tracer)
          )
          assert.strictEqual(value, 8)
        }
      }
      assert.deepStrictEqual(spans, ["doubled < -", "doubled < -"])
    }))

  it.effect("dies of what it throws, timed or not", () =>
    Effect.gen(function*() {
      for (const isTimed of [true, false]) {
        const exit = yield* doubled(() => {
          throw new Error("broken")
        }).pipe(Effect.provideService(MetricsEnabled, isTimed), Effect.exit)
        assert.strictEqual(exit._tag, "Failure")
      }
    }).pipe(Effect.provide(Layer.succeed(Doubling, { by: 1 }))))
})

it.effect("a span and a stage around an effect hang under each other", () =>
  Effect.gen(function*() {
    const { spans, tracer } = recording()
    yield* Effect.void.pipe(stage("inner"), span("middle"), outer(true), Effect.provideService(Tracer.Tracer, tracer))
    assert.deepStrictEqual(spans, ["outer < -", "middle < outer", "inner < middle"])
  }))
