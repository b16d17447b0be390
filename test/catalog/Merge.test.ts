import { assert, it } from "@effect/vitest"
import { isImplausible, merge } from "../../src/catalog/Merge.ts"
import { factsFrom, type ModelFacts, newerFacts, type StatedFacts } from "../../src/domain/model/Facts.ts"
import type { PriceRow } from "../../src/catalog/PriceRows.ts"
import { card } from "./fixtures.ts"

const at = "2026-11-21T00:00:00.000Z"

const row = (overrides: Partial<PriceRow> = {}): PriceRow => ({
  inputCostPerMtok: 1, outputCostPerMtok: 4, cacheReadCostPerMtok: 0.5, contextWindow: null,
  maxOutputTokens: null, facts: {},
  ...overrides
})

const one = (name: string, overrides: Partial<PriceRow>) => new Map([[name, row(overrides)]])

const believed = (overrides: Partial<PriceRow>): boolean => !isImplausible(card("a"), row(overrides))

it("no price is believed below the cache's, above 20 times the input's, or moved over 5 times", () => {
  for (const prices of [
    { inputCostPerMtok: 0.5 }, { inputCostPerMtok: 0.5, outputCostPerMtok: 10 }, { inputCostPerMtok: 5 },
    { outputCostPerMtok: 0.8 }
  ]) assert.isTrue(believed(prices), JSON.stringify(prices))
  for (const prices of [
    { inputCostPerMtok: 0.4 }, { inputCostPerMtok: 0.5, outputCostPerMtok: 10.01 }, { inputCostPerMtok: 5.01 },
    { outputCostPerMtok: 0.79 }, { cacheReadCostPerMtok: 0.09 }
  ]) assert.isFalse(believed(prices), JSON.stringify(prices))
})

it("a paid model never turns free, and a free one may stay free", () => {
  assert.isFalse(believed({ inputCostPerMtok: 0, outputCostPerMtok: 0, cacheReadCostPerMtok: 0 }))
  const free = { inputCostPerMtok: 0, outputCostPerMtok: 0, cacheReadCostPerMtok: 0 }
  assert.isFalse(isImplausible(card("a", free), row(free)))
})

it("a model whose every price is unbelievable keeps its last good row", () => {
  const known = [card("a"), card("b")]
  const merged = merge(known, [{
    source: "litellm",
    rows: new Map([["a", row({ inputCostPerMtok: 900 })], ["b", row({ inputCostPerMtok: 2 })]])
  }], at)
  assert.deepStrictEqual(merged.quarantined, ["a"])
  assert.strictEqual(merged.matched, 1)
  assert.strictEqual(merged.cards[0], known[0])
  assert.strictEqual(merged.cards[1]?.inputCostPerMtok, 2)
})

it("the next source stands in for an unbelievable row and fills what the first leaves unsaid", () => {
  const { cards } = merge([card("a")], [
    { source: "models.dev", rows: new Map([["acme/a", row({ inputCostPerMtok: 900, contextWindow: 1 })]]) },
    { source: "openrouter", rows: one("acme/a", { inputCostPerMtok: 2, cacheReadCostPerMtok: null }) },
    { source: "litellm", rows: one("a", { inputCostPerMtok: 3, contextWindow: 9, maxOutputTokens: 7 }) }
  ], at)
  assert.deepInclude(cards[0], {
    inputCostPerMtok: 2, cacheReadCostPerMtok: 0.5, contextWindow: 9, maxOutputTokens: 7,
    costSource: "openrouter", costFetchedAt: at
  })
})

it("a cache price above the input price of another source is dropped", () => {
  const { cards } = merge([card("a")], [
    { source: "openrouter", rows: one("a", { inputCostPerMtok: 0.3, cacheReadCostPerMtok: null }) },
    { source: "litellm", rows: new Map([["a", row()]]) }
  ], at)
  assert.strictEqual(cards[0]?.cacheReadCostPerMtok, null)
})

const knownOf = (stated: StatedFacts, source: string, day: string | null): ModelFacts =>
  newerFacts(undefined, factsFrom(stated, source, day)).facts!

it("each fact comes from the first source that states it, and replaces an older or unknown one", () => {
  const facts = {
    ...knownOf({ supportsTools: false, supportsAudio: true }, "npm:zoo", "2026-09-23"),
    ...factsFrom({ supportsImages: true }, "npm:pi", "2026-11-22"),
    ...factsFrom({ supportsReasoning: true }, "file", null)
  }
  const { cards } = merge([card("a", { facts }), card("b")], [
    { source: "models.dev", rows: one("acme/a", { inputCostPerMtok: 900, facts: { supportsFiles: true } }) },
    { source: "openrouter", rows: one("acme/a", { facts: { supportsTools: true } }) },
    {
      source: "litellm",
      rows: new Map([
        ["a", row({
          facts: { supportsTools: false, supportsImages: false, supportsReasoning: false, retiresOn: "2027-01-31" }
        })],
        ["b", row()]
      ])
    }
  ], at)
  assert.deepStrictEqual(cards[0]?.facts, {
    ...facts,
    ...factsFrom({ supportsTools: true }, "openrouter", "2026-11-21"),
    ...factsFrom({ retiresOn: "2027-01-31" }, "litellm", "2026-11-21")
  })
  assert.notProperty(cards[1], "facts")
})

it("names match whole: no prefix, no dated variant, no other provider", () => {
  const names = ["a-2", "a-20260101", "a.1", "A", "reseller/a", "acme/a:free", "acme/a-mini", "__proto__"]
  const rows = new Map(names.map((name) => [name, row()]))
  const { matched } = merge([card("a")], [{ source: "litellm", rows }], at)
  assert.strictEqual(matched, 0)
})

it("the exact id beats an alias within one source", () => {
  const rows = new Map([["acme/a", row({ inputCostPerMtok: 3 })], ["a", row({ inputCostPerMtok: 2 })]])
  const { cards } = merge([card("a")], [{ source: "litellm", rows }], at)
  assert.strictEqual(cards[0]?.inputCostPerMtok, 2)
})


/** Model `a` with these last known fields, after what up to two sources state of it. */
const after = (last: Partial<ReturnType<typeof card>>, ...stated: ReadonlyArray<Partial<PriceRow>>) =>
  merge(
    [card("a", last)],
    stated.map((each, i) => ({ source: (["models.dev", "litellm"] as const)[i]!, rows: one("a", each) })), at
  ).cards[0]

const tier = { aboveInputTokens: 200_000, inputCostPerMtok: 2, outputCostPerMtok: 6, cacheReadCostPerMtok: 1 }
const tiersAfter = (...of: Parameters<typeof after>) => after(...of)?.priceTiers

it("tiers come from the first source that states believable ones at the prices that were taken", () => {
  assert.deepStrictEqual(tiersAfter({}, { priceTiers: [tier] }), [tier])
  assert.deepStrictEqual(tiersAfter({}, {}, { priceTiers: [tier] }), [tier])
  assert.isUndefined(tiersAfter({}, {}, { inputCostPerMtok: 1.5, priceTiers: [tier] }))
  for (const wrong of [{ inputCostPerMtok: 0.9 }, { outputCostPerMtok: 100 }, { cacheReadCostPerMtok: 3 }]) {
    assert.isUndefined(tiersAfter({}, { priceTiers: [{ ...tier, ...wrong }] }))
  }
})

it("a source without tiers moves the known ones with its prices", () => {
  assert.deepStrictEqual(tiersAfter({ priceTiers: [tier] }, {}), [tier])
  assert.deepStrictEqual(tiersAfter({ priceTiers: [tier] }, { inputCostPerMtok: 2, outputCostPerMtok: 4 }), [
    { ...tier, inputCostPerMtok: 4, cacheReadCostPerMtok: 2 }
  ])
})

it("each ratio of a write to a cache comes from the first source that states it, else stays", () => {
  const ratio = (cacheWritePriceRatio: PriceRow["cacheWritePriceRatio"] & {}) => ({ cacheWritePriceRatio })
  assert.deepInclude(after({}, ratio({ usual: 1.25 }), ratio({ usual: 1.5, hour: 2 })), ratio({ usual: 1.25, hour: 2 }))
  assert.deepInclude(after(ratio({ hour: 3 }), ratio({ usual: 1 })), ratio({ usual: 1, hour: 3 }))
  assert.notProperty(after({}, {}), "cacheWritePriceRatio")
})

it("each extra price comes from the first source that states it, else stays the last known", () => {
  const extra = (extraPrices: PriceRow["extraPrices"] & {}) => ({ extraPrices })
  assert.deepInclude(
    after(
      extra({ requestUsd: 0.1, searchUsd: 0.3 }), extra({ serviceTierRatio: { priority: 2 } }),
      extra({ serviceTierRatio: { flex: 0.5, priority: 3 }, searchUsd: 0.01 })
    ),
    extra({ requestUsd: 0.1, searchUsd: 0.01, serviceTierRatio: { flex: 0.5, priority: 2 } })
  )
  const flex = { serviceTierRatio: { flex: 0.5 } }
  assert.deepInclude(after(extra(flex), extra({ searchUsd: 1 })), extra({ searchUsd: 1, ...flex }))
  assert.notProperty(after({}, {}), "extraPrices")
})
