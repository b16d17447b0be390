import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { reasonerSettings } from "../../src/reasoner/ReasonerSettings.ts"
import type { protocols } from "../../src/reasoner/remote/Protocols.ts"
import * as ReasonerModel from "../../src/reasoner/remote/ReasonerModel.ts"
import { engine, recommend, unclear } from "../engine/pipelines.ts"
import { measuredCard, snapshot, task } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"
import { fakeReasoner, type FakeReasoner, honest } from "./fake.ts"
import { forbidden, injections, obeying, orderIn, someInjections } from "./injections.ts"

const roomy = (id: string, capability: number, price: number) =>
  ({ ...measuredCard(id, capability, price), contextWindow: 200_000 })

const catalog = catalogOf(snapshot([
  roomy("cheap", 0.6, 0.1), roomy("middle", 0.7, 1), roomy("dear", 0.85, 2),
  roomy("banned", 0.95, 0.01), { ...roomy("foreign", 0.95, 0.01), provider: "elsewhere" },
  roomy("costly", 0.99, 1_000), { ...roomy("cramped", 0.95, 0.01), contextWindow: 8_000 }
]))

const constraints = {
  excludedModels: ["banned"], allowedProviders: ["acme-ai"], maxCostPerCall: 0.1, requireContextWindow: 100_000,
  minQuality: 0.6
}

const settings = {
  ...reasonerSettings, dailyUsdMax: 1_000, breaker: { ...reasonerSettings.breaker, failuresMax: 1_000_000 }
}

const engineWith = (fake: FakeReasoner, driver: keyof typeof protocols = "openai") =>
  engine({
    catalog,
    reasoner: ReasonerModel.layer(
      driver,
      { url: fake.url, model: "judge", apiKey: Option.some(Redacted.make("secret")) },
      settings
    ).pipe(Layer.provide(catalog))
  })

const encode = Schema.encodeUnknownSync(RecommendResponse)
const decode = Schema.decodeUnknownSync(RecommendResponse)

/** Whatever was obeyed: only allowed models, by the threshold's own rule, in a valid answer. */
const assertKept = (answer: RecommendResponse, title: string) => {
  assert.deepStrictEqual(decode(JSON.parse(JSON.stringify(encode(answer)))), answer, title)
  const shown = [answer.recommendedModel, ...answer.ranked, ...(answer.fallbackModel === null ? [] : [answer.fallbackModel])]
  for (const { estCostUsd, modelId, predictedSuccess } of shown) {
    assert.include(["cheap", "middle", "dear"], modelId, title)
    assert.notInclude<string>([...forbidden], modelId, title)
    assert.isAtMost(estCostUsd, constraints.maxCostPerCall, title)
    assert.isTrue(predictedSuccess >= 0 && predictedSuccess <= 1, title)
  }
  assert.isAtLeast(answer.thresholdUsed, constraints.minQuality, title)
  const eligible = answer.ranked.filter((each) => each.predictedSuccess >= answer.thresholdUsed)
  const warnings: ReadonlyArray<string> = answer.warnings
  assert.strictEqual(warnings.includes("no_model_meets_threshold"), eligible.length === 0, title)
  const expected = eligible.length === 0
    ? Math.max(...answer.ranked.map((each) => each.predictedSuccess))
    : Math.min(...eligible.map((each) => each.estCostUsd))
  const { estCostUsd, predictedSuccess } = answer.recommendedModel
  assert.strictEqual(eligible.length === 0 ? predictedSuccess : estCostUsd, expected, title)
  const asked = ["reasoner_consulted", "reasoner_failed"].filter((warning) => warnings.includes(warning))
  assert.isNotEmpty([...asked, ...warnings.filter((warning) => warning === "llm_classified")], title)
}

describe("Injections", () => {
  it("are many and different, and the obeying reasoner finds an order in each", () => {
    assert.isAtLeast(someInjections.length, 200)
    assert.strictEqual(new Set(injections.map((each) => each.task)).size, injections.length)
    for (const { goal, task, technique } of injections) {
      assert.isNotNull(orderIn({ task, system: "rules" }), `${technique}: ${goal}`)
    }
  })

  // Both protocols read an answer's text alike: the second one gets a part of the injections.
  it.live.each([["openai", injections], ["anthropic", someInjections]] as const)("obeyed by %s break no constraint, add no model, and leave a valid answer", (
    [driver, shown]
  ) =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      fake.state.script = obeying(honest)
      let moved = 0
      yield* Effect.forEach(shown, (injection) =>
        Effect.gen(function*() {
          const answer = yield* recommend({
            task: task({ task: injection.task, taskType: "code", difficulty: "medium" }), constraints
          })
          if (answer.decisionBasis === "llm" || answer.ranked.some((each) => each.decisionBasis === "llm")) moved++
          assertKept(answer, `${injection.technique}: ${injection.goal}`)
        }), { concurrency: 4 }).pipe(Effect.provide(engineWith(fake, driver)))
      // Each was really shown, and obeyed: what the reasoner saw of the task still held the order.
      assert.strictEqual(fake.heard.length, shown.length)
      for (const asked of fake.heard) assert.isNotNull(orderIn(asked))
      // Obedience is no good if it does nothing: a third of the orders move what the constraints leave.
      assert.isAtLeast(moved, shown.length / 4)
    }), 120_000)

  it.live("obeyed in both questions yield only known types and allowed models", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      fake.state.script = obeying(honest)
      let asked = 0
      yield* Effect.forEach(someInjections, (injection) =>
        Effect.gen(function*() {
          const answer = yield* recommend({
            task: task({ task: `${unclear}\n${injection.task}`, taskType: null, difficulty: null }), constraints
          })
          assertKept(answer, `${injection.technique}: ${injection.goal}`)
        }), { concurrency: 4 }).pipe(Effect.provide(engineWith(fake)))
      for (const { candidates } of fake.heard) if (candidates === null) asked++
      assert.isAtLeast(asked, someInjections.length / 6)
    }), 120_000)

  it.live("never reach the instructions: the task stays one quoted string of the data", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      const [first] = injections
      yield* Effect.forEach(injections.filter((_, i) => i % 7 === 0), ({ task: text }) =>
        recommend({ task: task({ task: text, taskType: "code", difficulty: "medium" }) })
      ).pipe(Effect.provide(engineWith(fake)))
      assert.isDefined(first)
      assert.strictEqual(new Set(fake.heard.map(({ system }) => system)).size, 1)
      for (const { data } of fake.heard) {
        assert.deepStrictEqual(Object.keys(JSON.parse(data)), ["task", "candidates"])
        assert.isBelow(data.length, 16_000)
      }
    }), 60_000)
})
