import { assert, describe, it } from "@effect/vitest"
import { defaults } from "../../../../src/engine/Settings.ts"
import { withinCapacity } from "../../../../src/engine/recommend/candidates/Capacity.ts"
import { makePool } from "../../../../src/engine/recommend/candidates/Pool.ts"
import { card, classified, request, snapshot, task } from "../../../support/builders.ts"

const models = snapshot([
  card("short", { contextWindow: 128_000, maxOutputTokens: 16_384 }),
  card("long", { contextWindow: 400_000, maxOutputTokens: 128_000 }),
  card("unknown", { contextWindow: 1_000_000, maxOutputTokens: null })
])

const able = (of: Parameters<typeof task>[0]) => {
  const { notes, pool } = withinCapacity(defaults, makePool(defaults, models, request()), task(of), classified())
  return [pool.members.map(({ facts }) => facts.card.modelId).toSorted(), notes]
}

describe("a model can take a task", () => {
  it("whose input and output fit into its window together", () => {
    const of = (expectedInputTokens: number) => able({ expectedInputTokens, expectedOutputTokens: 4_000 })
    assert.deepStrictEqual(of(124_000), [["long", "short", "unknown"], []])
    assert.deepStrictEqual(of(124_001), [["long", "unknown"], []])
    assert.deepStrictEqual(of(396_001), [["unknown"], []])
  })

  it("whose output fits into its longest answer, where that is known", () => {
    assert.deepStrictEqual(able({ expectedInputTokens: 1, expectedOutputTokens: 16_384 }), [["long", "short", "unknown"], []])
    assert.deepStrictEqual(able({ expectedInputTokens: 1, expectedOutputTokens: 16_385 }), [["long", "unknown"], []])
  })

  it("whose text fits, where the request says no tokens", () => {
    const words = "The quick brown fox jumps over the lazy dog. ".repeat(17_777)
    assert.deepStrictEqual(able({ task: words, expectedOutputTokens: 50 }), [["long", "unknown"], []])
    assert.deepStrictEqual(able({ task: words, expectedInputTokens: 100, expectedOutputTokens: 50 })[0], ["long", "short", "unknown"])
  })

  it("of a size that none can take, with a warning", () => {
    assert.deepStrictEqual(able({ expectedInputTokens: 3_000_000 }), [["long", "short", "unknown"], ["no_model_within_capacity"]])
  })

  it("that is a run of many calls, whatever they sum up to", () => {
    assert.deepStrictEqual(able({ expectedInputTokens: 3_000_000, unit: "run" }), [["long", "short", "unknown"], []])
  })
})
