import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, References, Tracer } from "effect"
import { measuredCard, snapshot } from "../support/builders.ts"
import { continuations } from "../support/Continuations.ts"
import { catalogOf, reasonerOf } from "../support/fakes.ts"
import { engine, learn, recommend } from "./pipelines.ts"

/** Eight candidates, which is as many as an answer has. */
const eight = snapshot(Array.from({ length: 8 }, (_, i) => measuredCard(`m${i}`, 0.5 + i / 20, i + 1)))

layer(engine({ catalog: catalogOf(eight) }))("a recommendation that nothing waits for", (it) => {
  it.effect("is worked at in at most 70 continuations of its own, and 40 of its look-ups", () =>
    Effect.gen(function*() {
      yield* learn(yield* recommend(), { chosenModelId: "m0" })
      const asked = Effect.provideService(recommend(), References.TracerEnabled, false)
      yield* asked
      const [own = 0, ...others] = yield* continuations(asked)
      assert.isAtLeast(own, 10)
      assert.isAtMost(own, 70)
      assert.isAtMost(others.reduce((sum, count) => sum + count, 0), 40)
    }))
})

/** How often a recommendation runs a stage. */
const timesOf = (name: string, ask: Parameters<typeof recommend>[0] = {}) =>
  Effect.gen(function*() {
    const names: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        names.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    yield* Effect.provideService(recommend(ask), Tracer.Tracer, tracer)
    return names.filter((each) => each === name).length
  })

describe("a choice", () => {
  it.effect("is made once where no reasoner moves a prediction", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* timesOf("optimize", { allowLlmEscalation: false }), 1)
    }).pipe(Effect.provide(engine())))

  it.effect("is made twice where one does", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* timesOf("optimize", { allowLlmEscalation: true }), 2)
    }).pipe(Effect.provide(engine({
      reasoner: reasonerOf({
        rank: (_account, _task, all) =>
          Effect.succeed(all.map(({ modelId }) => ({ modelId, predictedSuccess: 1, rationale: "" })))
      })
    }))))
})
