import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { type Contender, Reasoner, type ReasonerDisabled, type ReasonerFailed } from "../../../src/reasoner/Reasoner.ts"
import { type ReasonerSettings, reasonerSettings } from "../../../src/reasoner/ReasonerSettings.ts"
import type { TokenCounts } from "../../../src/reasoner/remote/ReasonerClient.ts"
import { makeReasoner } from "../../../src/reasoner/remote/ReasonerModel.ts"
import { accountOf, card, snapshot } from "../../support/builders.ts"
import { catalogOf } from "../../support/fakes.ts"
import { wrapped } from "../fake.ts"

const contenders: ReadonlyArray<Contender> = [{ modelId: "a", predictedSuccess: 0.5, priceClass: "low" }]
const good = JSON.stringify({ ranking: [{ model_id: "a", predicted_success: 0.75, rationale: "" }] })

/** A reasoner whose answers a test leads, null for a status of 500, and how often it was asked. */
const world = (
  over: Partial<ReasonerSettings> = {},
  answer: Effect.Effect<string | null> = Effect.succeed(good),
  usage: TokenCounts | null = { input: 1_000, output: 100 },
  modelId = "judge"
) => {
  const state = { asked: 0, answer, usage }
  const client = HttpClient.make((request) => Effect.suspend(() => {
    state.asked++
    return Effect.map(state.answer, (text) => HttpClientResponse.fromWeb(request, text === null
      ? new Response("down", { status: 500 })
      : new Response(wrapped("/chat/completions", text, state.usage && [state.usage.input, state.usage.output]))))
  }))
  const options = { url: new URL("http://reasoner.test/v1"), model: modelId, apiKey: Option.none() }
  const layer = Layer.effect(Reasoner, makeReasoner("openai", options, { ...reasonerSettings, ...over })).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(catalogOf(snapshot([
      {
        ...card("judge", { aliases: ["maker/judge"] }), inputCostPerMtok: 10, outputCostPerMtok: 100,
        priceTiers: [
          { aboveInputTokens: 200_000, inputCostPerMtok: 20, outputCostPerMtok: 150, cacheReadCostPerMtok: null }
        ]
      }
    ])))
  )
  return { layer, state }
}

const ask = (task = "sum a list", account = "acme") =>
  Reasoner.use((reasoner) => reasoner.rank(accountOf(account), task, contenders))
/** Lets what was forked begin; no time passes. */
const begun = Effect.forEach(
  Array.from({ length: 8 }),
  () => Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
  { discard: true }
)
const reasonOf = <A, R>(asking: Effect.Effect<A, ReasonerFailed | ReasonerDisabled, R>) =>
  Effect.map(Effect.flip(asking), (failure) =>
    failure._tag === "ReasonerFailed" ? failure.reason.cause ?? failure.reason._tag : null)

describe("The price", () => {
  for (
    const [name, modelId, input, costUsd] of [
      ["of a model is the catalog's", "judge", 1_000, 0.02],
      ["of an alias is the catalog's", "maker/judge", 1_000, 0.02],
      ["of a question with more input than a tier begins at is the tier's", "judge", 300_000, 6.015],
      ["of a model that the catalog does not know is the price of the settings", "nobody", 1_000, 0.0015]
    ] as const
  ) {
    it.effect(name, () =>
      Effect.gen(function*() {
        assert.closeTo((yield* ask()).costUsd ?? 0, costUsd, 1e-12)
      }).pipe(Effect.provide(world({}, Effect.succeed(good), { input, output: 100 }, modelId).layer)))
  }
  for (
    const [name, usage] of [
      ["without a usage", null], ["whose usage is 0", { input: 0, output: 0 }],
      ["with words and a usage of 0 tokens of output", { input: 1_000, output: 0 }]
    ] as const
  ) {
    it.effect(`of an answer ${name} is the price of its question`, () =>
      Effect.gen(function*() {
        const { costUsd } = yield* ask()
        assert.isAbove(costUsd ?? 0, 0)
        assert.isBelow(costUsd ?? 1, 0.01)
      }).pipe(Effect.provide(world({}, Effect.succeed(good), usage).layer)))
  }
})

describe("The budget", () => {
  it.effect("stops the questions of an account for the day once it is used up, and of no other account", () => {
    // What is set aside for a question is 0.158 USD for its 1,580 tokens of answer, and half a cent for itself.
    const { layer, state } = world({ dailyUsdMax: 0.2 })
    return Effect.gen(function*() {
      assert.closeTo((yield* ask("one")).costUsd ?? 0, 0.02, 1e-12)
      yield* ask("two")
      assert.strictEqual(yield* reasonOf(ask("three")), "the account's budget is used up")
      assert.deepInclude(yield* Effect.flip(ask("three")), { costUsd: null })
      assert.strictEqual(state.asked, 2)
      yield* ask("three", "umbrella")
      assert.strictEqual(state.asked, 3)
      yield* TestClock.adjust("1 day")
      yield* ask("three")
    }).pipe(Effect.provide(layer))
  })
  it.effect("is not charged for questions that the service did not answer", () => {
    const { layer, state } = world({ dailyUsdMax: 0.2, breaker: { failuresMax: 1_000, openMs: 1, slowMs: 1 } },
      Effect.succeed(null))
    return Effect.gen(function*() {
      for (let i = 0; i < 50; i++) assert.strictEqual(yield* reasonOf(ask()), "Unreachable")
      state.answer = Effect.succeed(good)
      yield* ask()
    }).pipe(Effect.provide(layer))
  })
  it.effect("is charged for answers that cannot be used", () => {
    const { layer, state } = world({ dailyUsdMax: 0.2 }, Effect.succeed("prose"))
    return Effect.gen(function*() {
      yield* reasonOf(ask("one"))
      yield* reasonOf(ask("two"))
      assert.strictEqual(yield* reasonOf(ask("three")), "the account's budget is used up")
      assert.strictEqual(state.asked, 2)
    }).pipe(Effect.provide(layer))
  })
})

describe("Questions in progress", () => {
  it.effect("share one call when they are identical, and one of them pays for it", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<string>()
      const { layer, state } = world({}, Deferred.await(gate))
      yield* Effect.gen(function*() {
        const asking = yield* Effect.forkChild(Effect.all(
          Array.from({ length: 20 }, () => ask()), { concurrency: "unbounded" }
        ))
        yield* begun
        assert.strictEqual(state.asked, 1)
        yield* Deferred.succeed(gate, good)
        const answers = yield* Fiber.join(asking)
        assert.closeTo(answers.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0), 0.02, 1e-12)
        for (const { answer } of answers) assert.strictEqual(answer[0]?.predictedSuccess, 0.75)
        yield* ask()
        assert.strictEqual(state.asked, 2)
      }).pipe(Effect.provide(layer))
    }))

  it.effect("share a failure when they are identical", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<string>()
      const { layer, state } = world({}, Deferred.await(gate))
      yield* Effect.gen(function*() {
        const asking = yield* Effect.forkChild(Effect.all([Effect.flip(ask()), Effect.flip(ask())], { concurrency: 2 }))
        yield* begun
        yield* TestClock.adjust("8 seconds")
        const costs = (yield* Fiber.join(asking)).map((each) => "costUsd" in each ? each.costUsd : null)
        assert.isAbove(costs[0] ?? 0, 0)
        assert.strictEqual(costs[1], 0)
        assert.strictEqual(state.asked, 1)
      }).pipe(Effect.provide(layer))
    }))

  it.effect("are never shared between accounts", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<string>()
      const { layer, state } = world({}, Deferred.await(gate))
      yield* Effect.gen(function*() {
        const asking = yield* Effect.forkChild(Effect.all([ask("x", "acme"), ask("x", "umbrella")], { concurrency: 2 }))
        yield* begun
        assert.strictEqual(state.asked, 2)
        yield* Deferred.succeed(gate, good)
        for (const { costUsd } of yield* Fiber.join(asking)) assert.closeTo(costUsd ?? 0, 0.02, 1e-12)
      }).pipe(Effect.provide(layer))
    }))

  it.effect("outlive their first caller", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<string>()
      const { layer, state } = world({}, Deferred.await(gate))
      yield* Effect.gen(function*() {
        const first = yield* Effect.forkChild(ask())
        yield* begun
        const second = yield* Effect.forkChild(ask())
        yield* begun
        yield* Fiber.interrupt(first)
        yield* Deferred.succeed(gate, good)
        assert.strictEqual((yield* Fiber.join(second)).costUsd, 0)
        assert.strictEqual(state.asked, 1)
      }).pipe(Effect.provide(layer))
    }))

  it.effect("are limited in all and for one account, and make room when they end", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<string>()
      const { layer, state } = world({ questionsMax: 3, questionsPerAccountMax: 2, dailyUsdMax: 100 },
        Deferred.await(gate))
      yield* Effect.gen(function*() {
        const tooMany = "too many questions are in progress"
        const asking = yield* Effect.forkChild(Effect.all([ask("one"), ask("two")], { concurrency: 2 }))
        yield* begun
        assert.strictEqual(yield* reasonOf(ask("three")), tooMany)
        const other = yield* Effect.forkChild(ask("one", "umbrella"))
        yield* begun
        assert.strictEqual(yield* reasonOf(ask("two", "umbrella")), tooMany)
        assert.strictEqual(state.asked, 3)
        yield* Deferred.succeed(gate, good)
        yield* Fiber.join(asking)
        yield* Fiber.join(other)
        yield* ask("three")
      }).pipe(Effect.provide(layer))
    }))
})

it.effect("a reasoner that hangs is not asked after five questions, and is asked again 2 s later", () => {
  const { layer, state } = world({ dailyUsdMax: 100 }, Effect.never)
  return Effect.gen(function*() {
    for (let i = 0; i < 5; i++) {
      const asking = yield* Effect.forkChild(reasonOf(ask(`task ${i}`)))
      yield* begun
      yield* TestClock.adjust("8 seconds")
      assert.strictEqual(yield* Fiber.join(asking), "TimedOut")
    }
    assert.propertyVal(yield* reasonOf(ask()), "_tag", "BreakerOpen")
    assert.strictEqual(state.asked, 5)
    state.answer = Effect.succeed(good)
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* ask()).answer.length, 1)
  }).pipe(Effect.provide(layer))
})

it.effect("a defect of the model is its failure", () =>
  Effect.gen(function*() {
    assert.strictEqual(yield* reasonOf(ask()), "unreadable")
  }).pipe(Effect.provide(world({}, Effect.die(new Error("canary"))).layer)))
