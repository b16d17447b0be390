import { assert, describe, it } from "@effect/vitest"
import { costOf, tiersAt, usdOf } from "../../../src/domain/model/Cost.ts"
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
  it("is by the tier of the whole input for all tokens, at exactly the threshold by the lower price", () => {
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

  it("moves with the prices where a model is sold at others", () => {
    const { priceTiers = [] } = tiersAt(tiered, { inputCostPerMtok: 1.375, outputCostPerMtok: 11 })
    assert.deepStrictEqual(priceTiers.map((tier) => Object.values(tier)), [
      [200_000, 2.75, 16.5, 0.275], [500_000, 5.5, 22, null]
    ])
    assert.deepStrictEqual(tiersAt(flat, { inputCostPerMtok: 9, outputCostPerMtok: 9 }), {})
  })
})
