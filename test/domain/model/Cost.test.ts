import { assert, describe, it } from "@effect/vitest"
import { costOf, tiersAt, unpricedIn, usdOf, withStandIns } from "../../../src/domain/model/Cost.ts"
import type { ListPrices } from "../../../src/domain/model/Model.ts"

const flat: ListPrices = { inputCostPerMtok: 1.25, outputCostPerMtok: 10, cacheReadCostPerMtok: 0.125 }
const tiered: ListPrices = {
  ...flat,
  priceTiers: [
    { aboveInputTokens: 200_000, inputCostPerMtok: 2.5, outputCostPerMtok: 15, cacheReadCostPerMtok: 0.25 },
    { aboveInputTokens: 500_000, inputCostPerMtok: 5, outputCostPerMtok: 20, cacheReadCostPerMtok: null }
  ]
}

describe("What tokens cost", () => {
  it("is by the tier of the whole input, and at exactly the threshold by the lower price", () => {
    for (
      const [input, inputUsd, outputUsd] of [
        [200_000, 0.25, 0.01], [200_001, 0.5000025, 0.015], [250_000, 0.625, 0.015], [500_000, 1.25, 0.015], [600_000, 3, 0.02]
      ] as const
    ) {
      const cost = costOf(tiered, { input, output: 1_000 })
      assert.closeTo(cost.inputUsd, inputUsd, 1e-12)
      assert.closeTo(cost.outputUsd, outputUsd, 1e-12)
    }
  })

  it("has cached input at its own price, and at that of any input where none is known", () => {
    assert.closeTo(usdOf(tiered, { input: 100_000, cachedInput: 40_000, output: 0 }), 0.08, 1e-12)
    assert.closeTo(usdOf(tiered, { input: 300_000, cachedInput: 100_000, output: 0 }), 0.525, 1e-12)
    assert.closeTo(usdOf(tiered, { input: 600_000, cachedInput: 100_000, output: 0 }), 3, 1e-12)
  })

  it("of a run is below every tier: how long its calls are is not known", () => {
    const tokens = { input: 5_000_000, output: 1_000 }
    assert.strictEqual(usdOf(tiered, tokens, "run"), usdOf(flat, tokens))
  })

  it("has the prices of its service tier in whichever case, at every size of input and cache", () => {
    const tiers: ListPrices = {
      ...tiered, cacheWritePriceRatio: { usual: 1.25 }, extraPrices: { serviceTierRatio: { flex: 0.5, priority: 2 } }
    }
    const usage = { input: 300_000, cachedInput: 100_000, cacheWrite: 50_000, output: 1_000 }
    const usual = usdOf(tiers, usage)
    for (const [serviceTier, ratio] of [["flex", 0.5], ["Priority", 2], ["batch", 0.5], ["default", 1], ["standard", 1], [null, 1]] as const) {
      assert.closeTo(usdOf(tiers, { ...usage, serviceTier }), usual * ratio, 1e-12, `${serviceTier}`)
    }
  })

  it("has the fee of the call, and that of each search, which no service tier changes", () => {
    const card: ListPrices = { ...flat, extraPrices: { requestUsd: 0.005, searchUsd: 0.01, serviceTierRatio: { flex: 0.5 } } }
    const usage = { input: 1_000, output: 100, serviceTier: "flex" }
    assert.closeTo(usdOf(card, usage), 0.005 + usdOf(flat, { input: 1_000, output: 100 }) / 2, 1e-15)
    assert.closeTo(usdOf(card, { ...usage, searches: 3 }) - usdOf(card, usage), 0.03, 1e-15)
    assert.closeTo(usdOf(card, { input: 1_000, output: 100 }, "run"), 0.005 + usdOf(flat, { input: 1_000, output: 100 }), 1e-15)
  })

  it("says which usage has no price on the card, and stands in with no lower price", () => {
    const usage = { input: 1_000, cacheWrite: 100, output: 100, serviceTier: "priority", searches: 1 }
    assert.deepStrictEqual(unpricedIn(flat, usage), ["cache_write", "service_tier", "web_search"])
    assert.deepStrictEqual(unpricedIn(flat, { input: 1, output: 1, serviceTier: "constructor" }), ["service_tier"])
    // As Anthropic's requests ask for the usual tier.
    assert.deepStrictEqual(unpricedIn(flat, { input: 1, output: 1, serviceTier: "standard_only" }), [])
    const known: ListPrices = {
      ...flat, cacheWritePriceRatio: { usual: 1 }, extraPrices: { serviceTierRatio: { priority: 2 }, searchUsd: 0.01 }
    }
    assert.deepStrictEqual(unpricedIn(known, usage), [])
    assert.deepStrictEqual(unpricedIn(known, { ...usage, cacheWriteHour: 1 }), ["cache_write"])
    const free = { inputCostPerMtok: 0, outputCostPerMtok: 0, cacheReadCostPerMtok: null }
    assert.deepStrictEqual(unpricedIn(free, { ...usage, searches: 0 }), [])
    const standIns = { cacheWritePriceRatio: { usual: 1.25, hour: 2 }, flexRatio: 1, otherTierRatio: 2.5, searchUsd: 0.05 }
    const tokens = (1_000 + 25) * 1.25 / 1e6 + 0.001
    assert.closeTo(usdOf(withStandIns(flat, usage, standIns), usage), tokens * 2.5 + 0.05, 1e-12)
    const flex = { ...usage, serviceTier: "flex" }
    assert.closeTo(usdOf(withStandIns(flat, flex, standIns), flex), tokens + 0.05, 1e-12)
    assert.strictEqual(usdOf(withStandIns(known, usage, standIns), usage), usdOf(known, usage))
  })

  it("moves with the prices where a model is sold at others", () => {
    const { priceTiers = [] } = tiersAt(tiered, { inputCostPerMtok: 1.375, outputCostPerMtok: 11 })
    assert.deepStrictEqual(priceTiers.map((tier) => Object.values(tier)), [
      [200_000, 2.75, 16.5, 0.275], [500_000, 5.5, 22, null]
    ])
    assert.deepStrictEqual(tiersAt(flat, { inputCostPerMtok: 9, outputCostPerMtok: 9 }), {})
  })
})
