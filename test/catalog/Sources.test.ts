import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { parsers } from "../../src/catalog/Sources.ts"

const priced = (prompt: unknown, completion: unknown = "0.00001") =>
  parsers.openrouter({ data: [{ id: "a/b", pricing: { prompt, completion }, context_length: 1000 }] })
    .get("a/b")

it("OpenRouter's decimal text per token becomes USD per million, without float noise", () => {
  assert.deepStrictEqual(priced("0.00000025", "1e-6"), {
    inputCostPerMtok: 0.25, outputCostPerMtok: 1, cacheReadCostPerMtok: null, contextWindow: 1000,
    maxOutputTokens: null, facts: {}
  })
})

it("OpenRouter's text is read strictly", () => {
  const bads = [
    "-1", "", " 1", "1 ", "0x1", "NaN", "Infinity", "1e999", "1,5", "$1", ".5", "1e5", null, {}, [], 0.1
  ]
  for (const bad of bads) {
    assert.isUndefined(priced(bad), JSON.stringify(bad))
  }
})

it("LiteLLM's numbers per token become USD per million, and text is refused", () => {
  const rows = parsers.litellm({
    sample_spec: { input_cost_per_token: 0, max_input_tokens: "if the provider specifies it" },
    good: {
      input_cost_per_token: 2.5e-7, output_cost_per_token: 1e-6, max_input_tokens: 8, max_output_tokens: "4"
    },
    text: { input_cost_per_token: "2.5e-7", output_cost_per_token: 1e-6 },
    negative: { input_cost_per_token: 1e-7, output_cost_per_token: -1e-6 },
    cache: { input_cost_per_token: 1e-7, output_cost_per_token: 1e-6, cache_read_input_token_cost: -1 }
  })
  assert.deepStrictEqual([...rows.keys()], ["good"])
  assert.deepInclude(rows.get("good"), { inputCostPerMtok: 0.25, contextWindow: 8, maxOutputTokens: null })
})

it("models.dev's rows are named by provider: a reseller's price is never the developer's", () => {
  const model = { cost: { input: 1, output: 2 }, limit: { context: 0, output: 5 } }
  const rows = parsers["models.dev"]({ acme: { models: { a: model } }, reseller: { models: { a: model } } })
  assert.deepStrictEqual([...rows.keys()], ["acme/a", "reseller/a"])
  assert.deepInclude(rows.get("acme/a"), { contextWindow: null, maxOutputTokens: 5 })
})

const cost = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }
const pricing = { prompt: "0.000001", completion: "0.000002" }
const factsIn: Record<string, (model: object) => unknown> = {
  "models.dev": (model) =>
    parsers["models.dev"]({ a: { models: { b: { cost: { input: 1, output: 2 }, ...model } } } }).get("a/b")?.facts,
  openrouter: (model) => parsers.openrouter({ data: [{ id: "a/b", pricing, ...model }] }).get("a/b")?.facts,
  litellm: (model) => parsers.litellm({ b: { ...cost, ...model } }).get("b")?.facts
}
const seesAndReads = { supportsImages: true, supportsAudio: false, supportsFiles: true }

it("each source's own fields become facts, and a missing or mistyped field states none", () => {
  for (
    const [source, model, facts] of [
      ["models.dev", {
        modalities: { input: ["text", "image", "pdf"] }, tool_call: true, structured_output: false, reasoning: true,
        attachment: true
      }, { ...seesAndReads, supportsTools: true, supportsStructuredOutput: false, supportsReasoning: true }],
      ["models.dev", { attachment: true, tool_call: "yes", structured_output: 1, reasoning: {}, modalities: [] }, {}],
      ["models.dev", { modalities: { input: ["text", 7] } }, {}],
      ["openrouter", {
        architecture: { input_modalities: ["text", "image", "file"] },
        supported_parameters: ["tools", "structured_outputs", "reasoning"]
      }, { ...seesAndReads, supportsTools: true, supportsStructuredOutput: true, supportsReasoning: true }],
      ["openrouter", { supported_parameters: ["response_format"], architecture: { input_modalities: "image" } }, {}],
      ["openrouter", { supported_parameters: "tools", architecture: { input_modalities: [] } }, {}],
      ["litellm", {
        supports_vision: true, supports_audio_input: false, supports_pdf_input: true,
        supports_function_calling: true, supports_response_schema: true, supports_reasoning: false,
        deprecation_date: "2027-01-31"
      }, {
        ...seesAndReads, supportsTools: true, supportsStructuredOutput: true, supportsReasoning: false,
        retiresOn: "2027-01-31"
      }],
      ["litellm", { supports_vision: "true", supports_reasoning: null, deprecation_date: "soon" }, {}]
    ] as const
  ) assert.deepStrictEqual(factsIn[source]!(model), facts, `${source} ${JSON.stringify(model)}`)
})

it("one bad row never costs its neighbours", () => {
  const bad = { id: "bad", pricing: { prompt: "-1", completion: "0" } }
  const data = [null, 7, { id: 3, pricing }, bad, { id: "ok", pricing }]
  assert.deepStrictEqual([...parsers.openrouter({ data }).keys()], ["ok"])
})

it("a body with the names of the prototype neither pollutes nor counts", () => {
  const text = `{"__proto__":{"models":{"__proto__":{"cost":{"input":1,"output":2}}},"polluted":1}}`
  const rows = parsers["models.dev"](JSON.parse(text))
  assert.deepStrictEqual([...rows.keys()], ["__proto__/__proto__"])
  assert.isUndefined(Reflect.get({}, "polluted"))
  assert.strictEqual(parsers.litellm(JSON.parse(`{"a":{"__proto__":{"input_cost_per_token":1}}}`)).size, 0)
})

it.prop("every parser is total over JSON", { body: Schema.Json }, ({ body }) => {
  for (const parse of Object.values(parsers)) assert.isAtLeast(parse(body).size, 0)
})

it("prices of calls with much input are read where a source states them, the smallest first", () => {
  const tiers = (above: number) => ({
    aboveInputTokens: above, inputCostPerMtok: 2.5, outputCostPerMtok: 15, cacheReadCostPerMtok: 0.25
  })
  const dev = { cost: { input: 1.25, output: 10, context_over_200k: { input: 2.5, output: 15, cache_read: 0.25 } } }
  assert.deepStrictEqual(parsers["models.dev"]({ a: { models: { b: dev } } }).get("a/b")?.priceTiers, [tiers(200_000)])
  const above = (thousands: number) => ({
    [`input_cost_per_token_above_${thousands}k_tokens`]: 2.5e-6,
    [`output_cost_per_token_above_${thousands}k_tokens`]: 1.5e-5,
    [`cache_read_input_token_cost_above_${thousands}k_tokens`]: 2.5e-7
  })
  const lite = { ...cost, ...above(272), ...above(128), input_cost_per_token_above_200k_tokens_priority: 9e-6 }
  assert.deepStrictEqual(parsers.litellm({ b: lite }).get("b")?.priceTiers, [tiers(128_000), tiers(272_000)])
  const half = { ...cost, input_cost_per_token_above_200k_tokens: 2.5e-6 }
  assert.isFalse(parsers.litellm({ b: half }).has("b") && "priceTiers" in (parsers.litellm({ b: half }).get("b") ?? {}))
})

it("prices of writing to a cache become ratios to that of input where they can be meant", () => {
  const lite = (usual: unknown, hour: unknown) => parsers.litellm({
    b: { ...cost, cache_creation_input_token_cost: usual, cache_creation_input_token_cost_above_1hr: hour }
  }).get("b")?.cacheWritePriceRatio
  assert.deepStrictEqual(lite(1.25e-6, 2e-6), { usual: 1.25, hour: 2 })
  assert.deepStrictEqual(lite(undefined, 1.6e-6), { hour: 1.6 })
  // DeepSeek's is 0, Claude 3 Opus's is 0.4 for an hour, and Claude 3 Haiku's is 24.
  for (const wrong of [0, 0.4e-6, 24e-6, -1, "1.25e-6", null]) assert.deepStrictEqual(lite(1.25e-6, wrong), { usual: 1.25 })
  assert.isUndefined(lite(0, 0))
  const dev = { cost: { input: 3, output: 15, cache_write: 3.75 } }
  assert.deepStrictEqual(parsers["models.dev"]({ a: { models: { b: dev } } }).get("a/b")?.cacheWritePriceRatio, { usual: 1.25 })
  const router = { data: [{ id: "a/b", pricing: { ...pricing, input_cache_write: "0.00000125" } }] }
  assert.deepStrictEqual(parsers.openrouter(router).get("a/b")?.cacheWritePriceRatio, { usual: 1.25 })
  const free = { cost: { input: 0, output: 0, cache_write: 0 } }
  assert.notProperty(parsers["models.dev"]({ a: { models: { b: free } } }).get("a/b"), "cacheWritePriceRatio")
})

it("prices of service tiers become ratios where a source states input and output", () => {
  const lite = (more: object) => parsers.litellm({ b: { ...cost, ...more } }).get("b")?.extraPrices
  const tier = (suffix: string, ratio: number) => ({
    [`input_cost_per_token_${suffix}`]: 1e-6 * ratio, [`output_cost_per_token_${suffix}`]: 2e-6 * ratio
  })
  assert.deepStrictEqual(lite({ ...tier("batches", 0.5), ...tier("flex", 0.5), ...tier("priority", 1.75) }), {
    serviceTierRatio: { batch: 0.5, flex: 0.5, priority: 1.75 }
  })
  // A rounded price makes the two differ: the higher one is kept.
  assert.deepStrictEqual(lite({ input_cost_per_token_flex: 5.2e-7, output_cost_per_token_flex: 1e-6 }), { serviceTierRatio: { flex: 0.52 } })
  for (const wrong of [{ input_cost_per_token_flex: 5e-7 }, tier("flex", 40), tier("above_200k_tokens_priority", 2), tier("flex", -1)]) {
    assert.isUndefined(lite(wrong))
  }
  const dev = (provider: unknown) => parsers["models.dev"]({ a: { models: { b: {
    cost: { input: 1, output: 2 }, experimental: { modes: { fast: { cost: { input: 2, output: 4 }, provider } } }
  } } } }).get("a/b")?.extraPrices
  assert.deepStrictEqual(dev({ body: { service_tier: "priority" } }), { serviceTierRatio: { priority: 2 } })
  assert.deepStrictEqual(dev({ body: { speed: "fast" } }), { serviceTierRatio: { fast: 2 } })
  for (const wrong of [undefined, {}, { body: { service_tier: "__proto__" } }, { body: { service_tier: 7 } }]) assert.isUndefined(dev(wrong))
})

it("fees of calls and searches are read where they are above 0, and Google's only of a search", () => {
  const router = (fees: object) => parsers.openrouter({ data: [{ id: "a/b", pricing: { ...pricing, ...fees } }] }).get("a/b")?.extraPrices
  assert.deepStrictEqual(router({ request: "0.005", web_search: "0.01" }), { requestUsd: 0.005, searchUsd: 0.01 })
  for (const none of [{ request: "0", web_search: "0" }, { request: "-1", web_search: "x" }, { request: "11" }]) assert.isUndefined(router(none))
  const search = { search_context_cost_per_query: { search_context_size_low: 0.008, search_context_size_medium: 0.01, search_context_size_high: 0.02 } }
  const lite = (more: object) => parsers.litellm({ b: { ...cost, ...search, ...more } }).get("b")?.extraPrices
  assert.deepStrictEqual(lite({ input_cost_per_request: 0.003 }), { requestUsd: 0.003, searchUsd: 0.01 })
  assert.isUndefined(lite({ litellm_provider: "vertex_ai-language-models" }))
  assert.deepStrictEqual(lite({ litellm_provider: "gemini", web_search_billing_unit: "per_query" }), { searchUsd: 0.01 })
})

it("models.dev's sizes of tiers go before its field that names one size for all", () => {
  const over = { input: 4, output: 15, cache_read: 0.4 }
  const dev = (more: object) => parsers["models.dev"]({ a: { models: { b: { cost: { input: 2, output: 10, context_over_200k: over, ...more } } } } })
    .get("a/b")?.priceTiers?.map((tier) => tier.aboveInputTokens)
  assert.deepStrictEqual(dev({ tiers: [{ ...over, tier: { type: "context", size: 272_000 } }] }), [272_000])
  assert.deepStrictEqual(dev({}), [200_000])
  for (const wrong of [[7], [{ ...over, tier: { size: -1 } }], [{ tier: { size: 5 } }]]) assert.isUndefined(dev({ tiers: wrong }))
})
