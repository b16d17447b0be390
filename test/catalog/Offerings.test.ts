import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundledRows } from "../../src/catalog/file/CatalogFile.ts"
import { cacheIdOf, callNames, isPriceUnknown, servedBy, servedModel } from "../../src/catalog/Offerings.ts"
import { snapshot } from "../support/builders.ts"
import { card } from "./fixtures.ts"

const { cards } = await Effect.runPromise(bundledRows.pipe(Effect.provide(NodeServices.layer)))
const bundled = snapshot(cards)

/** The model, provider, input price and regions by which an id is served. */
const served = (id: string) => {
  const found = servedModel(bundled, id)
  return [found?.modelId, found?.provider, found?.inputCostPerMtok, found?.facts?.dataRegions?.value ?? null]
}

describe("An offering", () => {
  const inEu = ["claude-sonnet-4-5", "amazon-bedrock", 3.3, ["eu"]]
  const azureInEu = ["gpt-5-mini", "azure", 0.275, ["eu"]]
  const profile = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"

  it("is found behind every prefix of its id, and without its endings, before the model is", () => {
    const prefixes = [
      "", "bedrock/", "bedrock_converse/", "bedrock/converse/", "amazon-bedrock/", "litellm/bedrock/",
      "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/", "bedrock/arn:aws:bedrock:eu-west-1:1:inference-profile/"
    ]
    for (const prefix of prefixes) assert.deepStrictEqual(served(prefix + profile), inEu, prefix)
    assert.deepStrictEqual(served("bedrock/eu.anthropic.claude-sonnet-4-5"), inEu)
    for (const id of ["azure/eu/gpt-5-mini", "litellm/azure/eu/gpt-5-mini", "azure/eu/gpt-5-mini-2025-08-07"]) {
      assert.deepStrictEqual(served(id), azureInEu, id)
    }
  })

  it("is none of a name that says no region", () => {
    for (const id of ["claude-sonnet-4-5", "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", "global.anthropic.claude-sonnet-4-5"]) {
      assert.strictEqual(served(id)[2], 3, id)
    }
    assert.strictEqual(served("azure/gpt-5-mini-2025-08-07")[2], 0.25)
  })

  it("is what the caller named it, and one card for all of its names", () => {
    const names = [`bedrock/${profile}`, profile, "gpt-5-mini"]
    const candidates = servedBy(bundled, cards.filter(({ modelId }) => /^(claude-sonnet-4-5|gpt-5-mini)$/.test(modelId)), names)
    assert.deepStrictEqual(candidates.map(cacheIdOf), ["gpt-5-mini", profile])
    assert.deepStrictEqual(callNames(bundled, candidates, names), [
      ["gpt-5-mini", "gpt-5-mini"], ["claude-sonnet-4-5", `bedrock/${profile}`]
    ])
  })
})

describe("A variant of a gateway", () => {
  const prices = (id: string) => {
    const found = servedModel(bundled, id)
    return [found?.modelId, found?.inputCostPerMtok, found?.outputCostPerMtok, found !== undefined && isPriceUnknown(found)]
  }

  it("has prices of its own, and its model's outcomes (case 26)", () => {
    assert.deepStrictEqual(prices("openai/gpt-oss-120b"), ["gpt-oss-120b", 0.15, 0.6, false])
    assert.deepStrictEqual(prices("openai/gpt-oss-120b:free"), ["gpt-oss-120b", 0, 0, false])
    assert.deepStrictEqual(prices("openrouter/openai/gpt-5-mini:batch"), ["gpt-5-mini", 0.125, 1, false])
    assert.deepStrictEqual(prices("azure/eu/gpt-5-mini:batch"), ["gpt-5-mini", 0.1375, 1.1, false])
    assert.deepStrictEqual(prices("gpt-oss-120b:free#low"), ["gpt-oss-120b#effort=low", 0, 0, false])
    for (const same of ["thinking", "beta", "latest"]) {
      assert.deepStrictEqual(prices(`anthropic/claude-sonnet-4.5:${same}`), ["claude-sonnet-4-5", 3, 15, false], same)
    }
  })

  it("has a price that is not known where a search or the choice of a provider changes it", () => {
    for (const word of ["online", "nitro", "floor", "extended", "exacto"]) {
      assert.deepStrictEqual(prices(`openai/gpt-5-mini:${word}`), ["gpt-5-mini", 0.25, 2, true], word)
    }
  })

  it("has the price of its service tier, usual in a report on it, and the fees of its model", () => {
    const extraPrices = { serviceTierRatio: { flex: 0.4, priority: 2, batch: 0.6 }, searchUsd: 0.01 }
    const own = snapshot([card("m", { extraPrices }), card("plain")])
    const tiers = (id: string) => {
      const found = servedModel(own, id)
      return [found?.inputCostPerMtok, found?.extraPrices, found !== undefined && isPriceUnknown(found)]
    }
    assert.deepStrictEqual(tiers("m:flex"), [0.4, { serviceTierRatio: { flex: 1 }, searchUsd: 0.01 }, false])
    assert.deepStrictEqual(tiers("m:batch"), [0.6, { serviceTierRatio: { batch: 1 }, searchUsd: 0.01 }, false])
    assert.deepStrictEqual(tiers("m:priority"), [2, { serviceTierRatio: { priority: 1 }, searchUsd: 0.01 }, false])
    assert.deepStrictEqual(tiers("m:free"), [0, undefined, false])
    assert.deepStrictEqual(tiers("m:online"), [1, extraPrices, true])
    assert.deepStrictEqual(tiers("plain:priority"), [1, { serviceTierRatio: { priority: 1 } }, true])
  })

  it("is the model itself where the catalog has it under that name", () => {
    const own = snapshot([card("m", { aliases: ["acme/m:free"], inputCostPerMtok: 2 }), card("n:batch", { inputCostPerMtok: 7 })])
    assert.strictEqual(servedModel(own, "openrouter/acme/m:free")?.inputCostPerMtok, 2)
    assert.strictEqual(servedModel(own, "n:batch")?.inputCostPerMtok, 7)
    assert.strictEqual(servedModel(own, "m:free")?.inputCostPerMtok, 0)
  })
})
