import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { VariantCard, ModelCard } from "../../../src/domain/model/Model.ts"
import * as Rounding from "../../../src/domain/Rounding.ts"
import { Tokens } from "../../../src/domain/Units.ts"
import { costWith } from "../../../src/engine/recommend/Cost.ts"
import { cachingOf, type CostQuery, estimate } from "../../../src/engine/recommend/cost/ListCost.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import type { Measurement, Neighbour } from "../../../src/memory/Neighbour.ts"
import { Neighbours, noNeighbours } from "../../../src/memory/Neighbours.ts"
import { card, classified, neighbours, predicted, request, snapshot, task, weighed } from "../../support/builders.ts"

const query = (
  over: Partial<CostQuery> & { readonly tokens?: readonly [number | null, number | null] } = {}
): CostQuery => {
  const { tokens = [1_000, 500], ...rest } = over
  return {
    task: task({ expectedInputTokens: tokens[0], expectedOutputTokens: tokens[1] }),
    classified: classified(),
    caching: { requirePromptCaching: false, incumbentModelId: null },
    measurements: noNeighbours,
    ...rest
  }
}

const model = (modelId: string, found: ReadonlyArray<Neighbour> = [], over: Partial<ModelCard> = {}) =>
  predicted(modelId, {
    card: card(modelId, over),
    neighbours: weighed(found)
  })

const first = (candidates: Parameters<typeof costWith>[1], ask = query()) =>
  costWith(defaults, candidates, ask)[0] ?? assert.fail("one candidate in, one out")

describe("estimate", () => {
  it("charges given tokens at list prices and names input and output", () => {
    const { cost, costBasis: basis } = first([model("a")])
    assert.strictEqual(basis, "estimate")
    assert.closeTo(cost.costUsd, 0.002, 1e-15)
    assert.deepStrictEqual(Object.keys(cost.breakdown), ["input", "output"])
    assert.closeTo(cost.breakdown["input"] ?? 0, 0.001, 1e-15)
    assert.closeTo(cost.breakdown["output"] ?? 0, 0.001, 1e-15)
    assert.deepStrictEqual([cost.lowUsd, cost.highUsd, cost.bandBasis], [null, null, ""])
  })

  it("takes the type's tokens and the difficulty where the request is silent", () => {
    const hard = classified({ taskType: "qa", difficulty: "hard" })
    const ask = query({ tokens: [null, null], classified: hard })
    // qa: 400 in, 250 out; hard writes 1.6 times as much.
    const { breakdown } = estimate(defaults, card("a"), ask)
    assert.closeTo(breakdown["input"] ?? 0, 400e-6, 1e-12)
    assert.closeTo(breakdown["output"] ?? 0, 250 * 1.6 * 2e-6, 1e-9)
  })

  it("counts a level's verbosity to the power of 0.7, and as 0.3 to 6", () => {
    const output = (verbosity: number) => {
      const variant: VariantCard = { ...card("a"), verbosity }
      return estimate(defaults, variant, query({ tokens: [0, null] })).costUsd / (900 * 2e-6)
    }
    assert.closeTo(output(4), 2.639016, 1e-4)
    assert.closeTo(output(30), 6, 1e-9)
    assert.closeTo(output(0), 0.3, 1e-9)
  })

  it("takes an explicit zero as given", () => {
    assert.strictEqual(first([model("a")], query({ tokens: [0, 0] })).cost.costUsd, 0)
    assert.closeTo(first([model("a")], query({ tokens: [0, 500] })).cost.costUsd, 0.001, 1e-15)
    assert.closeTo(first([model("a")], query({ tokens: [1_000, 0] })).cost.costUsd, 0.001, 1e-15)
  })
})

describe("caching", () => {
  const caching = { supportsPromptCaching: true, cacheReadCostPerMtok: 0.1 }
  const input = (over: Partial<ModelCard>, given: Partial<CostQuery["caching"]>) =>
    estimate(defaults, card("a", over), query({
      tokens: [1_000, 0], caching: { requirePromptCaching: false, incumbentModelId: null, ...given }
    })).costUsd

  it("reads 70 % of the incumbent's input from its warm cache", () => {
    assert.closeTo(input(caching, { incumbentModelId: "a" }), 0.3 * 0.001 + 0.7 * 0.0001, 1e-15)
  })
  it("prices everybody's cache when caching is required", () => {
    assert.closeTo(input(caching, { requirePromptCaching: true }), 0.00037, 1e-15)
  })
  it("gives no discount to another model, without support, or without a cache price", () => {
    assert.closeTo(input(caching, { incumbentModelId: "b" }), 0.001, 1e-15)
    for (const lacking of [{ supportsPromptCaching: false }, { cacheReadCostPerMtok: null }]) {
      assert.closeTo(input({ ...caching, ...lacking }, { incumbentModelId: "a" }), 0.001, 1e-15)
    }
  })
  it("never charges more for a cache read than for reading", () => {
    assert.closeTo(input({ ...caching, cacheReadCostPerMtok: 5 }, { incumbentModelId: "a" }), 0.001, 1e-15)
  })
})

const billed = (count: number, modelId: string) => neighbours(count, modelId, () => ({ costUsd: 0.01 }))
const counted = (count: number, modelId: string) => neighbours(count, modelId, () => ({ outputTokens: 200 }))
const both = (count: number, modelId: string) =>
  neighbours(count, modelId, () => ({ costUsd: 0.01, outputTokens: 200 }))

describe("outcomes without a label", () => {
  const measured = (modelId: string, over: Partial<Measurement> = {}): Measurement =>
    ({
      modelId, cluster: "code:medium", similarity: 0.5, outputTokens: null, costUsd: null, latencyMs: null,
      timeToFirstTokenMs: null, isCostOutlier: false, ...over
    })
  const priced = (...measurements: ReadonlyArray<Measurement>) =>
    costWith(defaults, [model("a"), model("b", billed(3, "b"))], query({ measurements: Neighbours.ofMeasurements(measurements) }))

  it("open the tiers with those that have one", () => {
    const bills = [0.03, 0.01, 0.02].map((costUsd) => measured("a", { costUsd, latencyMs: 400 }))
    const [a, b] = priced(...bills)
    assert.deepStrictEqual([a?.costBasis, b?.costBasis], ["observed", "observed"])
    assert.closeTo(a?.cost.costUsd ?? NaN, 0.02, 1e-12)
    assert.strictEqual(a?.latencyMs?.p75, 400)
    assert.isNull(b?.latencyMs)
    assert.strictEqual(priced(...bills.slice(1))[0]?.costBasis, "estimate")
  })

  it("of other clusters and other models say nothing", () => {
    const ofOtherKind = Array.from({ length: 3 }, () => measured("a", { cluster: "qa:easy", costUsd: 0.01 }))
    assert.strictEqual(priced(...ofOtherKind)[0]?.costBasis, "estimate")
    assert.strictEqual(priced(...ofOtherKind.map(() => measured("c", { costUsd: 0.01 })))[0]?.costBasis, "estimate")
  })
})

describe("the tier", () => {
  const basis = (a: ReadonlyArray<Neighbour>, b: ReadonlyArray<Neighbour>) => {
    const bases = costWith(defaults, [model("a", a), model("b", b)], query()).map((each) => each.costBasis)
    assert.strictEqual(new Set(bases).size, 1, "one basis for the whole set")
    return bases[0]
  }
  const none: ReadonlyArray<Neighbour> = []
  const rows: ReadonlyArray<
    readonly [a: string, b: string, tier: string, found: readonly [typeof none, typeof none]]
  > = [
    ["nothing", "nothing", "estimate", [none, none]],
    ["3 costs", "nothing", "estimate", [billed(3, "a"), none]],
    ["3 costs", "2 costs", "estimate", [billed(3, "a"), billed(2, "b")]],
    ["2 costs", "2 costs", "estimate", [billed(2, "a"), billed(2, "b")]],
    ["3 costs", "3 costs", "observed", [billed(3, "a"), billed(3, "b")]],
    ["3 token counts", "2 token counts", "estimate", [counted(3, "a"), counted(2, "b")]],
    ["3 token counts", "3 token counts", "rescaled", [counted(3, "a"), counted(3, "b")]],
    ["3 of both", "3 of both", "rescaled", [both(3, "a"), both(3, "b")]],
    ["3 of both", "2 of both", "estimate", [both(3, "a"), both(2, "b")]],
    ["3 of both", "3 costs", "observed", [both(3, "a"), billed(3, "b")]],
    ["3 of both", "3 costs, 2 with tokens", "observed", [both(3, "a"), [...both(2, "b"), ...billed(1, "b")]]],
    ["3 of both", "3 token counts, 2 with costs", "rescaled",
      [both(3, "a"), [...both(2, "b"), ...counted(1, "b")]]],
    ["3 costs", "3 token counts", "estimate", [billed(3, "a"), counted(3, "b")]],
    ["5 of both", "nothing", "estimate", [both(5, "a"), none]]
  ]
  for (const [a, b, tier, [ofA, ofB]] of rows) {
    it(`of one candidate with ${a} and one with ${b} is ${tier}`, () => {
      assert.strictEqual(basis(ofA, ofB), tier)
      assert.strictEqual(basis(ofB, ofA), tier)
    })
  }

  const keys = (found: ReadonlyArray<Neighbour>) => Object.keys(first([model("a", found)]).cost.breakdown)
  it("has exactly the breakdown keys of its row", () => {
    assert.deepStrictEqual(keys(none), ["input", "output"])
    assert.deepStrictEqual(keys(billed(3, "a")), ["observed_avg"])
    assert.deepStrictEqual(keys(counted(3, "a")), ["rescaled", "obs_output_tokens"])
  })
  it("counts explicit zeros as observations and prices them as such", () => {
    const zeros = (field: "costUsd" | "outputTokens") => neighbours(3, "a", () => ({ [field]: 0 }))
    const free = first([model("a", zeros("costUsd"))])
    assert.deepStrictEqual([free.costBasis, free.cost.costUsd], ["observed", 0])
    const mute = first([model("a", zeros("outputTokens"))])
    assert.deepStrictEqual([mute.costBasis, mute.cost.breakdown["obs_output_tokens"]], ["rescaled", 0])
    assert.closeTo(mute.cost.costUsd, 0.001, 1e-15)
    const given = first([model("a", counted(3, "a"))], query({ tokens: [0, 0] }))
    assert.closeTo(given.cost.costUsd, 200 * 2e-6, 1e-15)
  })
})

describe("a warm cache", () => {
  const over = { supportsPromptCaching: true, cacheReadCostPerMtok: 0 }
  const cost = (found: ReadonlyArray<Neighbour>, caching: Partial<CostQuery["caching"]>) =>
    first([model("a", found, over)], query({
      caching: { requirePromptCaching: false, incumbentModelId: null, ...caching }
    })).cost.costUsd
  // At 1,000 tokens in and 500 out, half the list price is input, of which 70 % is cached for nothing.
  const tiers = [
    ["estimate", [], 0.0003 + 0.001],
    ["rescaled", counted(3, "a"), 0.0003 + 200 * 2e-6]
  ] as const
  for (const [tier, found, usd] of tiers) {
    it(`is priced on the ${tier} tier, for the incumbent and where caching is required`, () => {
      assert.closeTo(cost(found, { incumbentModelId: "a" }), usd, 1e-12)
      assert.closeTo(cost(found, { requirePromptCaching: true }), usd, 1e-12)
      assert.isAbove(cost(found, { incumbentModelId: "b" }), usd * 1.1)
    })
  }
  it("belongs to an incumbent that is named by its alias too", () => {
    const cards = snapshot([card("a", { ...over, aliases: ["acme/a"] })])
    const named = cachingOf(cards, request({ incumbentModelId: "acme/a" }))
    assert.deepStrictEqual(named, { requirePromptCaching: false, incumbentModelId: "a" })
    assert.isNull(cachingOf(cards, request({ incumbentModelId: "nobody" })).incumbentModelId)
  })
})

describe("a cold band", () => {
  const wrote = (count: number) =>
    neighbours(count, "a", (i) => ({ outputTokens: [100, 400, 1_000][i] ?? 0 }))
  const beside = (found: ReadonlyArray<Neighbour>) => first([model("a", found), model("b")]).cost

  it("is the spread of the model's own output around the estimate, from three observations on", () => {
    const { bandBasis, costUsd, highUsd, lowUsd } = beside(wrote(3))
    assert.strictEqual(bandBasis, "estimate_tokens_p25_p75")
    assert.closeTo(costUsd, 0.002, 1e-15)
    // 25th and 75th percentile of 100, 400, 1,000 are 175 and 850, around a median of 400.
    assert.closeTo(lowUsd ?? 0, 0.001 + 0.001 * 175 / 400, 1e-12)
    assert.closeTo(highUsd ?? 0, 0.001 + 0.001 * 850 / 400, 1e-12)
  })
  it("is null with an empty basis for fewer, or for a model that wrote nothing", () => {
    for (const found of [wrote(2), neighbours(3, "a", () => ({ outputTokens: 0 }))]) {
      const { bandBasis, highUsd, lowUsd } = beside(found)
      assert.deepStrictEqual([lowUsd, highUsd, bandBasis], [null, null, ""])
    }
  })
})

describe("observed", () => {
  const bills = (over: (i: number) => Partial<Neighbour>) =>
    neighbours(3, "a", (i) => ({ costUsd: [0.01, 0.02, 0.09][i] ?? 0, ...over(i) }))

  it("is the median bill with its quartiles, under its own key", () => {
    const { cost, costBasis: basis } = first([model("a", bills(() => ({})))])
    assert.strictEqual(basis, "observed")
    assert.closeTo(cost.costUsd, 0.02, 1e-12)
    assert.deepStrictEqual(cost.breakdown, { observed_avg: cost.costUsd })
    assert.strictEqual(cost.bandBasis, "observed_p25_p75")
    assert.isAtMost(cost.lowUsd ?? 1, cost.costUsd)
    assert.isAtLeast(cost.highUsd ?? 0, cost.costUsd)
  })
  it("weighs bills by similarity", () => {
    const { cost } = first([model("a", bills((i) => ({ similarity: i === 2 ? 1 : 0.01 })))])
    assert.isAbove(cost.costUsd, 0.08)
  })
  it("counts bills of unlike tasks of the cluster, at next to no weight", () => {
    const unlike = first([model("a", bills(() => ({ similarity: -0.5 })))])
    assert.closeTo(unlike.cost.costUsd, 0.02, 1e-12)
    const mixed = first([model("a", bills((i) => ({ similarity: i === 0 ? 1 : -1 })))])
    assert.isBelow(mixed.cost.costUsd, 0.011)
  })
  it("does not let age, staleness or reliability move a price", () => {
    const aged = bills((i) => ({ ageDays: i * 300, isStale: i === 1, reliability: 0.1 }))
    const fresh = bills(() => ({}))
    assert.strictEqual(first([model("a", aged)]).cost.costUsd, first([model("a", fresh)]).cost.costUsd)
  })
})

it("an outcome of another cluster that weighs nothing here says nothing about cost or latency", () => {
  const found = neighbours(3, "a", () => ({ cluster: "translation:easy", costUsd: 5, latencyMs: 90_000 }))
  const far = predicted("a", {
    card: card("a"),
    neighbours: weighed(found, () => 0)
  })
  const { costBasis: basis, latencyMs } = first([far])
  assert.deepStrictEqual([basis, latencyMs], ["estimate", null])
})

it("an observed cost is what was billed, whatever cache this request would read from", () => {
  const over = { supportsPromptCaching: true, cacheReadCostPerMtok: 0 }
  for (const incumbentModelId of [null, "a"]) {
    for (const requirePromptCaching of [false, true]) {
      const ask = query({ tokens: [1_000_000, 0], caching: { requirePromptCaching, incumbentModelId } })
      const { cost } = first([model("a", billed(3, "a"), over)], ask)
      assert.closeTo(cost.costUsd, 0.01, 1e-12)
    }
  }
})

describe("rescaled", () => {
  const wrote = neighbours(3, "a", (i) => ({ outputTokens: [100, 400, 1_000][i] ?? 0 }))

  it("charges this request's input and the median observed output, under its own keys", () => {
    const { cost, costBasis: basis } = first([model("a", wrote)], query({ tokens: [10_000, 1] }))
    assert.strictEqual(basis, "rescaled")
    assert.closeTo(cost.costUsd, 10_000e-6 + 400 * 2e-6, 1e-12)
    assert.deepStrictEqual(Object.keys(cost.breakdown), ["rescaled", "obs_output_tokens"])
    assert.strictEqual(cost.breakdown["rescaled"], cost.costUsd)
    assert.strictEqual(cost.breakdown["obs_output_tokens"], 400)
    assert.strictEqual(cost.bandBasis, "rescaled_p25_p75")
    assert.isBelow(cost.lowUsd ?? 1, cost.costUsd)
    assert.isAbove(cost.highUsd ?? 0, cost.costUsd)
  })
})

it("latency is the median and the 75th percentile of what was observed, null without history", () => {
  assert.strictEqual(first([model("a")]).latencyMs, null)
  assert.strictEqual(first([model("a")]).timeToFirstTokenMs, null)
  const found = neighbours(4, "a", (i) => ({ latencyMs: (i + 1) * 100 }))
  const { latencyMs, timeToFirstTokenMs } = first([model("a", found)])
  assert.deepStrictEqual(latencyMs, { p50: 250, p75: 350 })
  assert.strictEqual(timeToFirstTokenMs, null)
  const streamed = neighbours(4, "a", (i) => ({ timeToFirstTokenMs: (i + 1) * 10 }))
  assert.deepStrictEqual(first([model("a", streamed)]).timeToFirstTokenMs, { p50: 25, p75: 35 })
})

it.prop("a cold cost is never negative and never falls with more tokens", {
  input: Tokens, output: Tokens, more: Tokens
}, ({ input, more, output }) => {
  const given = (tokens: number) => Math.min(tokens, 1e12)
  const at = (tokensIn: number, tokensOut: number) =>
    estimate(defaults, card("a"), query({ tokens: [given(tokensIn), given(tokensOut)] })).costUsd
  assert.isAtLeast(at(input, output), 0)
  assert.isAtLeast(at(input + more, output), at(input, output))
  assert.isAtLeast(at(input, output + more), at(input, output))
})

const Bills = Schema.Array(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 })))
  .check(Schema.isMinLength(3), Schema.isMaxLength(20))

it.prop("an observed cost lies inside its band, which lies inside the bills", {
  bills: Bills
}, ({ bills }) => {
  const found = neighbours(bills.length, "a", (i) => ({ costUsd: bills[i] ?? 0 }))
  const { cost } = first([model("a", found)])
  assert.isAtLeast(cost.lowUsd ?? -1, Rounding.usd(Math.min(...bills)))
  assert.isAtLeast(cost.costUsd, cost.lowUsd ?? 11)
  assert.isAtLeast(cost.highUsd ?? -1, cost.costUsd)
  assert.isAtMost(cost.highUsd ?? 11, Rounding.usd(Math.max(...bills)))
})

describe("a bill that is far above every estimate", () => {
  const bills = (...all: ReadonlyArray<readonly [costUsd: number, isCostOutlier: boolean]>) =>
    neighbours(all.length, "a", (i) => ({ costUsd: all[i]![0], isCostOutlier: all[i]![1], outputTokens: null }))

  it("opens no tier and moves no cost while no other of its model and cluster is near", () => {
    const alone = first([model("a", bills([0.002, false], [0.003, false], [1_000_000, true]))])
    assert.strictEqual(alone.costBasis, "estimate")
    const fourth = first([model("a", bills([0.002, false], [0.003, false], [0.004, false], [1_000_000, true]))])
    const three = first([model("a", bills([0.002, false], [0.003, false], [0.004, false]))])
    assert.deepStrictEqual(fourth.cost, three.cost)
  })

  it("counts from the second on that lies within a factor of five", () => {
    const near = first([model("a", bills([1, true], [5, true], [3, true]))])
    assert.strictEqual(near.costBasis, "observed")
    assert.closeTo(near.cost.costUsd, 3, 1e-9)
    const far = first([model("a", bills([1, true], [6, true], [40, true]))])
    assert.strictEqual(far.costBasis, "estimate")
  })

  it("is confirmed by one of its own cluster alone, and keeps what else it measured", () => {
    const [one, other] = bills([1, true], [2, true])
    const ofOtherKind = { ...other!, cluster: "qa:easy" as const }
    const { costBasis, latencyMs } = first([model("a", [
      { ...one!, latencyMs: 900 }, ofOtherKind, { ...ofOtherKind, costUsd: 300 }
    ])])
    assert.deepStrictEqual([costBasis, latencyMs?.p75], ["estimate", 900])
  })
})
