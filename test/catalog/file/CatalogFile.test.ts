import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { TestClock } from "effect/testing"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import { bundledRows, fileRows, layerBundled, layerFile } from "../../../src/catalog/file/CatalogFile.ts"
import { findModel } from "../../../src/catalog/Lookup.ts"
import { isImplausible } from "../../../src/catalog/Merge.ts"
import { taskTypes } from "../../../src/domain/Task.ts"
import { temporaryDirectory } from "../fixtures.ts"

const required = {
  model_id: "own-7b", provider: "us", input_cost_per_mtok: 0, output_cost_per_mtok: 0.2,
  context_window: 32_000
}

const written = (body: unknown) =>
  Effect.gen(function*() {
    const path = `${yield* temporaryDirectory}/models.json`
    const text = typeof body === "string" ? body : JSON.stringify(body)
    yield* FileSystem.FileSystem.use((files) => files.writeFileString(path, text))
    return path
  })

const refusal = (body: unknown) => Effect.flatMap(written(body), (path) => Effect.flip(fileRows(path)))

describe("the bundled catalog", () => {
  it.effect("has 131 models with plausible prices and a prior for each task type, and no shared name", () =>
    Effect.gen(function*() {
      const { cards } = yield* bundledRows
      assert.lengthOf(cards, 131)
      const names = cards.flatMap((model) => [model.modelId, ...model.aliases])
      assert.strictEqual(new Set(names).size, names.length)
      for (const model of cards) {
        const { agent_run: _, ...byType } = model.capabilityByTaskType
        assert.sameMembers(Object.keys(byType), [...taskTypes])
        assert.isFalse(isImplausible(model, model), model.modelId)
        assert.isAbove(model.inputCostPerMtok, 0)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("has the priors of its source: gpt-4o at code is sigmoid(0.294)", () =>
    Effect.gen(function*() {
      const model = findModel(yield* Catalog.use(({ snapshot }) => snapshot), "openai/gpt-4o")
      assert.closeTo(model?.capabilityByTaskType["code"] ?? 0, 0.573, 5e-4)
      assert.strictEqual(model?.capabilitySource, "benchmark")
    }).pipe(Effect.provide(layerBundled), Effect.provide(NodeServices.layer)))

  it.effect("knows runs of agents of some models, beside the task types, whose mean they do not move", () =>
    Effect.gen(function*() {
      const { cards } = yield* bundledRows
      const ofRuns = cards.filter(({ capabilityByTaskType }) => "agent_run" in capabilityByTaskType)
      assert.isAbove(ofRuns.length, 20)
      for (const { capabilityByTaskType: { agent_run: _, ...byType }, capabilityPriors } of ofRuns) {
        const values = Object.values(byType)
        assert.closeTo(capabilityPriors?.["overall"] ?? 0, values.reduce((sum, p) => sum + p, 0) / values.length, 1e-3)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("says what writing to a cache costs, where its source does", () =>
    Effect.gen(function*() {
      const catalog = yield* Catalog.use(({ snapshot }) => snapshot)
      const ratioOf = (id: string) => findModel(catalog, id)?.cacheWritePriceRatio
      assert.deepStrictEqual(ratioOf("claude-sonnet-5-5"), { usual: 1.25 })
      assert.deepStrictEqual(ratioOf("nova-pro-v1"), { usual: 1 })
      assert.isUndefined(ratioOf("gpt-4o"))
    }).pipe(Effect.provide(layerBundled), Effect.provide(NodeServices.layer)))

  it.effect("has levels of effort for the models that reason, and none for others", () =>
    Effect.gen(function*() {
      const { snapshot } = yield* Catalog
      const catalog = yield* snapshot
      const efforts = findModel(catalog, "gpt-5")?.effortLevels?.map(({ effort }) => effort)
      assert.deepStrictEqual(efforts, ["none", "minimal", "low", "medium", "high", "xhigh", "max"])
      assert.isUndefined(findModel(catalog, "gpt-4o")?.effortLevels)
      // The separator of requests is in no name of the catalog.
      assert.isTrue(catalog.models.every(({ aliases, modelId }) => [modelId, ...aliases].every((name) => !name.includes("#"))))
    }).pipe(Effect.provide(layerBundled), Effect.provide(NodeServices.layer)))

  it.effect("is stale 30 days after its prices were collected", () =>
    Effect.gen(function*() {
      const { snapshot } = yield* Catalog
      yield* TestClock.setTime(Date.parse("2026-12-10T12:00:00Z"))
      assert.isFalse((yield* snapshot).stale)
      yield* TestClock.adjust("1 hour")
      const { models, stale } = yield* snapshot
      assert.isTrue(stale && models.every((model) => model.costStale))
    }).pipe(Effect.provide(layerBundled), Effect.provide(NodeServices.layer)))
})

describe("a catalog file", () => {
  it.effect("needs five fields per model, and each other field is read as unknown", () =>
    Effect.gen(function*() {
      const { cards, costSource } = yield* fileRows(yield* written({ models: [required] }))
      assert.strictEqual(costSource, "file")
      assert.deepStrictEqual(cards, [{
        modelId: "own-7b", provider: "us", displayName: "own-7b", inputCostPerMtok: 0, outputCostPerMtok: 0.2,
        cacheReadCostPerMtok: null, supportsPromptCaching: false, contextWindow: 32_000,
        maxOutputTokens: null,
        capabilityPriors: null, capabilityByTaskType: {}, capabilitySource: "none", capabilityAsOf: null,
        aliases: [], costSource: "file", costFetchedAt: null, costStale: false
      }])
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("may state priors, whose source is then the file", () =>
    Effect.gen(function*() {
      const row = { ...required, capability_by_task_type: { code: 0.5, qa: 0.7 } }
      const { cards } = yield* fileRows(yield* written({ models: [row] }))
      assert.deepInclude(cards[0], { capabilitySource: "catalog_file" })
      assert.closeTo(cards[0]?.capabilityPriors?.["overall"] ?? 0, 0.6, 1e-12)
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("may state the prices of long inputs, of cache writes and of service tiers, and fees", () =>
    Effect.gen(function*() {
      const tier = { above_input_tokens: 200_000, input_cost_per_mtok: 2, output_cost_per_mtok: 4 }
      const row = {
        ...required, price_tiers: [tier], cache_write_price_ratio: { usual: 1.25 },
        extra_prices: { service_tier_ratio: { flex: 0.5 }, request_usd: 0.005, search_usd: 0.01 }
      }
      const { cards } = yield* fileRows(yield* written({ models: [row] }))
      assert.deepInclude(cards[0], {
        priceTiers: [{ aboveInputTokens: 200_000, inputCostPerMtok: 2, outputCostPerMtok: 4, cacheReadCostPerMtok: null }],
        cacheWritePriceRatio: { usual: 1.25 },
        extraPrices: { serviceTierRatio: { flex: 0.5 }, requestUsd: 0.005, searchUsd: 0.01 }
      })
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("may state levels of effort, each with its own output and prior", () =>
    Effect.gen(function*() {
      const levels = [{ effort: "low", verbosity: 0.5, capability: 0.6 }, { effort: "high" }]
      const { cards } = yield* fileRows(yield* written({ models: [{ ...required, effort_levels: levels }] }))
      const [low, high] = cards[0]?.effortLevels ?? []
      assert.deepInclude(low, { effort: "low", verbosity: 0.5 })
      assert.strictEqual(low?.capabilityByTaskType?.["code"], 0.6)
      assert.deepStrictEqual(high, { effort: "high", verbosity: 2 })
      const long = yield* refusal({ models: [{ ...required, model_id: "m".repeat(250), effort_levels: levels }] })
      assert.deepInclude(long, { row: 0, field: "effort_levels" })
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("replaces the bundled catalog and never goes stale", () =>
    Effect.gen(function*() {
      const { snapshot } = yield* Effect.provide(Catalog, layerFile(yield* written({ models: [required] })))
      yield* TestClock.adjust("4000 days")
      const { models, stale } = yield* snapshot
      assert.lengthOf(models, 1)
      assert.isFalse(stale)
    }).pipe(Effect.provide(NodeServices.layer)))

  for (const [field, value] of [
    ["input_cost_per_mtok", -1],
    ["output_cost_per_mtok", "0.2"],
    ["output_cost_per_mtok", 2.5e-6],
    ["effort_levels", [{ effort: "low", input_cost_per_mtok: 2.5e-6 }]],
    ["output_cost_per_mtok", 1e7],
    ["cache_read_cost_per_mtok", 1e300],
    ["context_window", 0],
    ["provider", null],
    ["model_id", ""],
    ["aliases", "own"],
    ["effort_levels", [{ effort: "low", verbosity: 0 }]],
    ["effort_levels", [{ effort: "Low" }]],
    ["effort_levels", [{ effort: "low" }, { effort: "low" }]],
    ["price_tiers", [{ above_input_tokens: 9, input_cost_per_mtok: 2.5e-6, output_cost_per_mtok: 1 }]],
    ["cache_write_price_ratio", { hour: 9 }],
    ["extra_prices", { service_tier_ratio: { flex: -1 } }],
    ["capability_by_task_type", { codee: 0.5 }],
    ["capability_by_task_type", { code: 1.5 }]
  ] as const) {
    it.effect(`is refused for ${field} = ${JSON.stringify(value)}, by row and field`, () =>
      Effect.gen(function*() {
        const error = yield* refusal({ models: [required, { ...required, model_id: "b", [field]: value }] })
        assert.strictEqual(error.row, 1)
        assert.match(error.field ?? "", new RegExp(`^${field}`))
        assert.include(error.message, "models[1]")
      }).pipe(Effect.provide(NodeServices.layer)))
  }

  for (const missing of Object.keys(required)) {
    it.effect(`is refused without ${missing}`, () =>
      Effect.gen(function*() {
        const row = Object.fromEntries(Object.entries(required).filter(([key]) => key !== missing))
        assert.deepInclude(yield* refusal({ models: [row] }), { row: 0, field: missing })
      }).pipe(Effect.provide(NodeServices.layer)))
  }

  it.effect("is refused when two models share a name", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* refusal({ models: [required, required] }), { row: 1, field: "model_id" })
      const alias = { ...required, model_id: "other", aliases: ["own-7b"] }
      assert.deepInclude(yield* refusal({ models: [required, alias] }), { row: 1, field: "aliases" })
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("is refused as a whole when it is missing, not JSON or without models", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(fileRows("/nowhere/models.json"))).row, null)
      for (const body of ["{", "[]", "null", { models: [] }, { models: {} }]) {
        assert.deepInclude(yield* refusal(body), { row: null, field: null })
      }
    }).pipe(Effect.provide(NodeServices.layer)))
})
