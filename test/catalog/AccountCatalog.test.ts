import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { accountCatalog, described, problemsOf } from "../../src/catalog/AccountCatalog.ts"
import { findModel } from "../../src/catalog/Lookup.ts"
import { AccountModels } from "../../src/domain/account/AccountModels.ts"
import { card, measuredCard, snapshot } from "../support/builders.ts"

const mini = { ...measuredCard("gpt-5-mini", 0.7, 0.25), aliases: ["openai/gpt-5-mini"] }
const guessed = { ...measuredCard("gpt-6", 0.9, 2), capabilitySource: "family+price" }
const shared = snapshot([mini, measuredCard("gpt-5", 0.8, 1.25), guessed, card("plain")])

const document = (given: object): AccountModels => Schema.decodeUnknownSync(AccountModels)(given)
const onlyModel = (model: object) => document({ models: [model] })
const cardOf = (model: { readonly model_id: string }) =>
  findModel(accountCatalog(shared, onlyModel(model)), model.model_id)

const selfHosted = {
  model_id: "llama", provider: "on-prem", input_cost_per_mtok: 0, output_cost_per_mtok: 0, context_window: 8_000
}

describe("an account's catalog", () => {
  it("is the shared one itself for an account that declares no model", () => {
    assert.strictEqual(accountCatalog(shared, document({})), shared)
    assert.strictEqual(accountCatalog(shared, document({ default_candidates: ["gpt-5"] })), shared)
  })

  it("is computed once for a document and a shared catalog, and has a version of its own", () => {
    const own = onlyModel(selfHosted)
    const catalog = accountCatalog(shared, own)
    assert.strictEqual(accountCatalog(shared, own), catalog)
    assert.notStrictEqual(accountCatalog(snapshot(shared.models), own), catalog)
    assert.notStrictEqual(catalog.version, shared.version)
    assert.strictEqual(accountCatalog(shared, onlyModel(selfHosted)).version, catalog.version)
    assert.notStrictEqual(accountCatalog(shared, onlyModel({ ...selfHosted, max_output_tokens: 2 })).version, catalog.version)
  })

  it("leaves the shared catalog as it was", () => {
    const before = JSON.stringify(shared)
    accountCatalog(shared, document({
      models: [{ model_id: "gpt-5", input_cost_per_mtok: 9 }, { ...selfHosted, aliases: ["openai/gpt-5-mini"] }]
    }))
    assert.strictEqual(JSON.stringify(shared), before)
    assert.strictEqual(findModel(shared, "openai/gpt-5-mini")?.modelId, "gpt-5-mini")
  })

  it("is sorted by price, and names the models that the account has added", () => {
    const catalog = accountCatalog(shared, document({ models: [selfHosted, { model_id: "gpt-5", provider: "azure" }] }))
    assert.deepStrictEqual(catalog.models.map(({ modelId }) => modelId), ["llama", "gpt-5-mini", "plain", "gpt-5", "gpt-6"])
    assert.deepStrictEqual([...catalog.ownModelIds ?? []], ["llama"])
  })

  it("changes a catalog's model only as declared", () => {
    const changed = cardOf({ model_id: "gpt-5", ...{ output_cost_per_mtok: 8, provider: "azure" } })
    assert.deepStrictEqual(changed, {
      ...shared.models[1]!, provider: "azure", outputCostPerMtok: 8, costSource: "account"
    })
  })

  it("gives a declared name to the account's model, where a catalog's model has it as an alias", () => {
    const catalog = accountCatalog(shared, onlyModel({ ...selfHosted, aliases: ["openai/gpt-5-mini"] }))
    assert.strictEqual(findModel(catalog, "openai/gpt-5-mini")?.modelId, "llama")
    assert.strictEqual(findModel(catalog, "gpt-5-mini")?.modelId, "gpt-5-mini")
  })
})

describe("an id that a request names", () => {
  const makersNames = ["openai/gpt-5-mini", "openai/gpt-5-mini-2025-08-07", "azure/gpt-5-mini"]
  const openai = snapshot([{ ...mini, provider: "openai" }])

  it("still finds a model that the account gets from another provider", () => {
    const catalog = accountCatalog(openai, onlyModel({ model_id: "gpt-5-mini", provider: "azure" }))
    for (const id of makersNames) assert.strictEqual(findModel(catalog, id)?.provider, "azure", id)
  })

  it("finds the account's model by its exact name, and the catalog's by every other spelling", () => {
    const catalog = accountCatalog(openai, onlyModel({ model_id: "azure/gpt-5-mini", provider: "azure" }))
    assert.deepStrictEqual(makersNames.map((id) => findModel(catalog, id)?.modelId), [
      "gpt-5-mini", "gpt-5-mini", "azure/gpt-5-mini"
    ])
    assert.strictEqual(findModel(catalog, "gpt-5-mini")?.modelId, "gpt-5-mini")
  })
})

describe("a declared model", () => {
  it("starts from the prior and the prices of the base that it names", () => {
    const own = cardOf({ model_id: "support-ft", ...{ base_model: "openai/gpt-5-mini", input_cost_per_mtok: 0.5 } })
    assert.deepStrictEqual(own, {
      ...mini, modelId: "support-ft", displayName: "support-ft", inputCostPerMtok: 0.5, aliases: [],
      costSource: "account", capabilitySource: "base_model"
    })
  })

  it("is as well known as the catalog's model of which it has another spelling", () => {
    const own = cardOf({ model_id: "openai/gpt-5-mini", ...{ provider: "azure" } })
    assert.deepStrictEqual([own?.capabilitySource, own?.provider, own?.inputCostPerMtok], ["benchmark", "azure", 0.25])
  })

  it("starts from the prior of the model that its name continues, not from its prices", () => {
    const declared = { ...selfHosted, model_id: "ft:gpt-5-mini-2025-08-07:acme::abc" }
    const own = cardOf(declared)
    assert.deepStrictEqual([own?.capabilitySource, own?.inputCostPerMtok], ["family", 0])
    assert.deepStrictEqual(own?.capabilityByTaskType, mini.capabilityByTaskType)
    for (const model_id of ["gpt-5.1-acme", "gpt-5-2", "gpt-50", "my-gpt-5"]) {
      assert.strictEqual(cardOf({ ...selfHosted, model_id })?.capabilitySource, "none", model_id)
    }
  })

  it("inherits that a prior was only inferred", () => {
    assert.strictEqual(cardOf({ model_id: "ft", ...{ base_model: "gpt-6" } })?.capabilitySource, "family+price")
  })

  it("has its declared prior, by type before the one number, within what can be unlearned", () => {
    const own = cardOf({ ...selfHosted, ...{ capability: 0.5, capability_by_task_type: { code: 0.999, qa: 0 } } })
    assert.deepInclude(own?.capabilityByTaskType, { code: 0.95, qa: 0.05, creative: 0.5 })
    assert.strictEqual(own?.capabilitySource, "declared")
    assert.notProperty(own?.capabilityByTaskType, "agent_run")
    const ofRuns = cardOf({ ...selfHosted, ...{ capability_by_task_type: { code: 0.6, agent_run: 0.99 } } })
    assert.deepInclude(ofRuns?.capabilityByTaskType, { code: 0.6, qa: 0.6, agent_run: 0.95 })
    assert.closeTo(ofRuns?.capabilityPriors?.["overall"] ?? 0, 0.6, 1e-12)
  })

  it("has the tiers, cache writes and fees that it declares, and any other of its base", () => {
    const tier = { aboveInputTokens: 200_000, inputCostPerMtok: 2, outputCostPerMtok: 4, cacheReadCostPerMtok: null }
    const rich = {
      ...card("rich"), priceTiers: [tier], cacheWritePriceRatio: { usual: 1.25 },
      extraPrices: { serviceTierRatio: { flex: 0.5, priority: 2 }, searchUsd: 0.01 }
    }
    const own = (model: { readonly model_id: string } & object) =>
      findModel(accountCatalog(snapshot([rich]), onlyModel(model)), model.model_id)
    const ratio = { cache_write_price_ratio: { hour: 2 } }
    const extras = { extra_prices: { service_tier_ratio: { priority: 1 }, request_usd: 0.002, search_usd: 0 } }
    assert.deepInclude(own({ model_id: "rich", ...ratio, ...extras }), {
      cacheWritePriceRatio: { usual: 1.25, hour: 2 }, priceTiers: [tier], costSource: "bundled",
      extraPrices: { serviceTierRatio: { flex: 0.5, priority: 1 }, requestUsd: 0.002, searchUsd: 0 }
    })
    assert.deepStrictEqual(own({ model_id: "ours", ...{ base_model: "rich" } })?.extraPrices, rich.extraPrices)
    assert.notProperty(own({ model_id: "rich", ...{ price_tiers: [] } }), "priceTiers")
    const wire = [{ above_input_tokens: 9, input_cost_per_mtok: 3, output_cost_per_mtok: 5 }]
    assert.deepStrictEqual(own({ model_id: "rich", ...{ price_tiers: wire } })?.priceTiers, [
      { aboveInputTokens: 9, inputCostPerMtok: 3, outputCostPerMtok: 5, cacheReadCostPerMtok: null }
    ])
    const relative = own({ ...selfHosted, model_id: "rich-acme" })
    for (const name of ["cacheWritePriceRatio", "extraPrices", "priceTiers"]) assert.notProperty(relative, name)
  })

  it("declares no price beside the usual ones that cannot be meant", () => {
    const tier = { above_input_tokens: 9, input_cost_per_mtok: 3, output_cost_per_mtok: 5 }
    for (
      const wrong of [
        { price_tiers: [tier, tier] }, { price_tiers: [{ ...tier, above_input_tokens: 0 }] },
        { price_tiers: [{ ...tier, input_cost_per_mtok: 3e-6 }] }, { price_tiers: [{ ...tier, output_cost_per_mtok: 1e5 }] },
        { price_tiers: Array.from({ length: 9 }, (_, i) => ({ ...tier, above_input_tokens: i + 1 })) },
        { cache_write_price_ratio: { usual: 0.5 } }, { extra_prices: { request_usd: -1 } }, { extra_prices: { search_usd: 35 } },
        { extra_prices: { service_tier_ratio: { flex: 11 } } }, { extra_prices: { service_tier_ratio: { Flex: 0.5 } } },
        { extra_prices: { service_tier_ratio: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`t${i}`, 1])) } }
      ]
    ) assert.throws(() => onlyModel({ ...selfHosted, ...wrong }), undefined, undefined, JSON.stringify(wrong))
  })

  it("is left out, not guessed, once the catalog has lost the base of its prices", () => {
    const own = onlyModel({ model_id: "support-ft", base_model: "gpt-5-mini" })
    assert.strictEqual(findModel(accountCatalog(shared, own), "support-ft")?.inputCostPerMtok, 0.25)
    const later = snapshot(shared.models.slice(1))
    assert.strictEqual(accountCatalog(later, own), later)
    assert.deepStrictEqual(described(later, own).resolvedModels, [
      { model: null, requestedModelId: "support-ft", baseModelId: null }
    ])
  })
})

describe("a document", () => {
  for (
    const [given, problem] of [
      [{ default_candidates: ["gpt-5", "nobody"] }, "default_candidates.1: no model is known as nobody"],
      [{ default_providers: ["nobody"] }, "default_providers.0: no model of the catalog is served by nobody"],
      [
        { default_candidates: ["llama"], default_providers: ["acme-ai"], models: [selfHosted] },
        "default_providers.0: no model of the default candidates is served by acme-ai"
      ],
      [{ models: [{ model_id: "x" }] }, "models.0.provider: needed, since no base of x has it"],
      [{ models: [{ model_id: "x", provider: "y" }] }, "models.0.context_window: needed"],
      [{ models: [{ ...selfHosted, base_model: "nobody" }] }, "models.0.base_model: the catalog has no model nobody"],
      [{ models: [{ model_id: "gpt-5", base_model: "gpt-6" }] }, "models.0.base_model: gpt-5 is itself a model"],
      [{ models: [{ ...selfHosted, cache_read_cost_per_mtok: 1 }] }, "models.0.cache_read_cost_per_mtok: above"],
      [
        { models: [{ ...selfHosted, effort_levels: [{ effort: "low", output_cost_per_mtok: 2e-7 }] }] },
        "models.0.effort_levels.0.output_cost_per_mtok: 2e-7 looks like the price of one token; of a million it is 0.2"
      ],
      [{ models: [selfHosted, selfHosted] }, "models.1.model_id: llama already names models.0"],
      [{ models: [selfHosted, { model_id: "gpt-5", aliases: ["llama"] }] }, "models.1.aliases: llama already names models.0"],
      [{ models: [{ ...selfHosted, aliases: ["gpt-5"] }] }, "models.0.aliases: gpt-5 is another model of the catalog"],
      [
        { models: Array.from({ length: 64 }, (_, i) => ({
          ...selfHosted, model_id: `m${i}`, display_name: "n".repeat(256), aliases: [`${i}${"a".repeat(250)}`]
        })) },
        "models: the document has "
      ]
    ] as const
  ) {
    it(`is refused with ${problem}`, () => {
      assert.include(problemsOf(shared, document(given)).join("; "), problem)
    })
  }

  it("is refused where its prices are those of one token (case 28)", () => {
    const prices = { input_cost_per_mtok: 0.0000025, output_cost_per_mtok: 0.00001 }
    assert.deepStrictEqual(problemsOf(shared, onlyModel({ model_id: "my-ft", base_model: "gpt-5-mini", ...prices })), [
      "models.0.input_cost_per_mtok: 0.0000025 looks like the price of one token; of a million it is 2.5",
      "models.0.output_cost_per_mtok: 0.00001 looks like the price of one token; of a million it is 10"
    ])
  })

  it("that fits the catalog has no problem", () => {
    assert.deepStrictEqual(problemsOf(shared, document({
      default_candidates: ["openai/gpt-5-mini", "llama", "ours"], default_providers: ["ON-PREM", "acme-ai"],
      models: [{ ...selfHosted, aliases: ["llama", "ours"] }, { model_id: "gpt-5", input_cost_per_mtok: 1 }]
    })), [])
    assert.deepStrictEqual(problemsOf(shared, document({})), [])
  })

  it("is as long as what it declares, without the fields that it leaves out", () => {
    const models = Array.from({ length: 64 }, (_, i) =>
      ({ ...selfHosted, model_id: `m${i}`, aliases: Array.from({ length: 16 }, (_, k) => `alias-${i}-${k}-${"n".repeat(6)}`) }))
    assert.isBelow(JSON.stringify({ models }).length, 32_768)
    assert.isAbove(JSON.stringify(document({ models })).length, 32_768)
    assert.deepStrictEqual(problemsOf(shared, document({ models })), [])
  })
})
