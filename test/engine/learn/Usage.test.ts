import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ListPrices } from "../../../src/domain/model/Model.ts"
import { Tokens, tokensMax } from "../../../src/domain/Units.ts"
import { usageOf } from "../../../src/engine/learn/Usage.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { card, feedback } from "../../support/builders.ts"

/** USD per million tokens: 1 in, 0.1 from a cache, 2 out. */
const prices = card("cheap", { cacheReadCostPerMtok: 0.1 })
const use = (over: Parameters<typeof feedback>[0], of: Parameters<typeof usageOf>[2] = prices) =>
  usageOf(defaults, feedback(over), of)

describe("the computed cost", () => {
  it.each<readonly [said: Parameters<typeof feedback>[0], usd: number | null]>([
    [{ inputTokens: 1_000, outputTokens: 500 }, 0.002],
    // Cached tokens are part of the input, reasoning tokens of the output.
    [{ inputTokens: 1_000, cachedInputTokens: 800, outputTokens: 500 }, 0.000_2 + 0.000_08 + 0.001],
    [{ inputTokens: 1_000, outputTokens: 500, reasoningTokens: 400 }, 0.002],
    // No call uses none: such counts are of a server that does not count.
    [{ inputTokens: 0, outputTokens: 0 }, null],
    [{ inputTokens: 1_000, cachedInputTokens: 1_000, outputTokens: 0 }, 0.000_1],
    // Half of the usage is no cost.
    [{ inputTokens: 1_000 }, null],
    [{ outputTokens: 1_000 }, null],
    [{}, null],
    // A bill counts, an explicit 0 included.
    [{ inputTokens: 1_000, outputTokens: 500, actualCostUsd: 0.5 }, null],
    [{ inputTokens: 1_000, outputTokens: 500, actualCostUsd: 0 }, null]
  ])("of %j is %s USD", (said, usd) => {
    const { computedCostUsd, warnings } = use(said)
    if (usd === null) assert.isNull(computedCostUsd)
    else assert.closeTo(computedCostUsd ?? NaN, usd, 1e-15)
    assert.deepStrictEqual(warnings, [])
  })

  it("charges cached input in full where the catalog has no price of reading a cache", () => {
    const usage = use({ inputTokens: 1_000, cachedInputTokens: 900, outputTokens: 0 }, card("cheap"))
    assert.closeTo(usage.computedCostUsd ?? NaN, 0.001, 1e-15)
  })

  it("charges input that was written to a cache by how long that keeps it (case 27)", () => {
    const sonnet = card("sonnet", { inputCostPerMtok: 3, cacheReadCostPerMtok: 0.3, outputCostPerMtok: 15 })
    const said = { inputTokens: 11_935, cachedInputTokens: 5_758, outputTokens: 300 }
    const usdOf = (written: Parameters<typeof feedback>[0]) => use({ ...said, ...written }, sonnet).computedCostUsd ?? NaN
    assert.closeTo(usdOf({}), 0.024_758_4, 1e-12)
    assert.closeTo(usdOf({ cacheWriteInputTokens: 6_174 }), 0.029_388_9, 1e-12)
    assert.closeTo(usdOf({ cacheWriteInputTokens: 6_174, cacheWriteHourInputTokens: 6_174 }), 0.043_280_4, 1e-12)
    assert.closeTo(usdOf({ cacheWriteHourInputTokens: 6_174 }), 0.043_280_4, 1e-12)
    assert.closeTo(usdOf({ cacheWriteInputTokens: 6_174, cacheWriteHourInputTokens: 1_000 }),
      (3 * 3 + 5_758 * 0.3 + 5_174 * 3.75 + 1_000 * 6 + 300 * 15) / 1e6, 1e-12)
  })

  it("charges input that was written to a cache by the card's ratios, or else by the usual ones", () => {
    const written = { inputTokens: 1_000, outputTokens: 0, cacheWriteInputTokens: 500, cacheWriteHourInputTokens: 100 }
    const usdOf = (cacheWritePriceRatio: ListPrices["cacheWritePriceRatio"] & {}) =>
      use(written, card("cheap", { cacheWritePriceRatio })).computedCostUsd ?? NaN
    assert.closeTo(usdOf({ usual: 1, hour: 3 }), (500 + 400 + 100 * 3) / 1e6, 1e-15)
    assert.closeTo(usdOf({ usual: 1.5 }), (500 + 400 * 1.5 + 100 * 2) / 1e6, 1e-15)
    assert.closeTo(usdOf({ hour: 1.5 }), (500 + 400 * 1.25 + 100 * 1.5) / 1e6, 1e-15)
  })

  it("has the prices of the service tier and of the searches that a report names", () => {
    const extra = card("cheap", { extraPrices: { serviceTierRatio: { flex: 0.5, priority: 2 }, searchUsd: 0.01 } })
    const said = { inputTokens: 1_000, outputTokens: 500 }
    const of = (more: Parameters<typeof feedback>[0]) => use({ ...said, ...more }, extra)
    for (
      const [more, usd] of [
        [{}, 0.002], [{ serviceTier: "default" }, 0.002], [{ serviceTier: "flex" }, 0.001], [{ serviceTier: "priority" }, 0.004],
        [{ webSearches: 2 }, 0.022], [{ webSearches: 0 }, 0.002], [{ serviceTier: "batch" }, 0.001]
      ] as const
    ) {
      assert.closeTo(of(more).computedCostUsd ?? NaN, usd, 1e-15)
      assert.deepStrictEqual(of(more).warnings, [])
    }
  })

  it("is never below the real one where no source states a price, and says so", () => {
    const said = { inputTokens: 1_000, outputTokens: 500 }
    for (
      const [more, usd, parts] of [
        [{ cacheWriteInputTokens: 400 }, 0.002_1, ["cache_write"]], [{ serviceTier: "flex" }, 0.002, ["service_tier"]],
        [{ serviceTier: "priority" }, 0.005, ["service_tier"]], [{ webSearches: 1 }, 0.052, ["web_search"]]
      ] as const
    ) {
      const { computedCostUsd, warnings } = use({ ...said, ...more })
      assert.closeTo(computedCostUsd ?? NaN, usd, 1e-15)
      assert.deepStrictEqual(warnings, parts.map((part) => `price_assumed:${part}` as const))
      // A bill needs no price.
      assert.deepStrictEqual(use({ ...said, ...more, actualCostUsd: 1 }).warnings, [])
    }
  })

  it("is by the size of a call's input, and of a run below every tier", () => {
    const tier = { aboveInputTokens: 200_000, inputCostPerMtok: 2, outputCostPerMtok: 3, cacheReadCostPerMtok: 0.2 }
    const tiered = card("cheap", { priceTiers: [tier] })
    const said = feedback({ inputTokens: 250_000, outputTokens: 1_000 })
    assert.closeTo(usageOf(defaults, said, tiered).computedCostUsd ?? NaN, 0.503, 1e-12)
    assert.closeTo(usageOf(defaults, said, tiered, "run").computedCostUsd ?? NaN, 0.252, 1e-12)
  })

  it("is not known of a model that the catalog does not have", () => {
    assert.isNull(usageOf(defaults, feedback({ inputTokens: 1, outputTokens: 1 }), undefined).computedCostUsd)
  })
})

describe("tokens that a client counted beside their whole", () => {
  it("are added to it, with a warning, and priced as what they are", () => {
    const { cachedInputTokens, computedCostUsd, inputTokens, outputTokens, warnings } = use({
      inputTokens: 12, cachedInputTokens: 20_000, outputTokens: 100, reasoningTokens: 900
    })
    assert.deepStrictEqual([inputTokens, cachedInputTokens, outputTokens], [20_012, 20_000, 1_000])
    assert.closeTo(computedCostUsd ?? NaN, (12 + 20_000 * 0.1 + 1_000 * 2) / 1e6, 1e-15)
    assert.deepStrictEqual(warnings, ["tokens_added:cached_input_tokens", "tokens_added:reasoning_tokens"])
  })

  it("are added where what a cache held and took are more than it together", () => {
    const { computedCostUsd, inputTokens, warnings } = use({
      inputTokens: 3, cachedInputTokens: 5_758, cacheWriteInputTokens: 6_174, outputTokens: 0
    })
    assert.strictEqual(inputTokens, 11_935)
    assert.closeTo(computedCostUsd ?? NaN, (3 + 5_758 * 0.1 + 6_174 * 1.25) / 1e6, 1e-15)
    assert.deepStrictEqual(warnings, ["tokens_added:cached_input_tokens", "price_assumed:cache_write"])
  })

  it("are kept as they are where the whole is not known", () => {
    const { inputTokens, outputTokens, warnings } = use({ cachedInputTokens: 5, reasoningTokens: 5 })
    assert.deepStrictEqual([inputTokens, outputTokens, warnings], [null, null, []])
  })
})

it.prop("a part is never more than its whole, and no cost is negative or unbounded", {
  inputTokens: Tokens, cachedInputTokens: Tokens, outputTokens: Tokens, reasoningTokens: Tokens
}, (said) => {
  const usage = use(said)
  assert.isAtMost(usage.cachedInputTokens ?? NaN, usage.inputTokens ?? NaN)
  assert.isAtMost(usage.reasoningTokens ?? NaN, usage.outputTokens ?? NaN)
  assert.isAtMost(usage.inputTokens ?? NaN, tokensMax)
  assert.isAtLeast(usage.computedCostUsd ?? NaN, 0)
  assert.isTrue(Schema.is(Tokens)(usage.outputTokens))
})
