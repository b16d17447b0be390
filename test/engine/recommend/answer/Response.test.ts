import { assert, it } from "@effect/vitest"
import type { ModelCard } from "../../../../src/domain/model/Model.ts"
import { recommendedActions } from "../../../../src/engine/recommend/answer/Response.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { noNeighbours } from "../../../../src/memory/Neighbours.ts"
import { card, classified, priced, task } from "../../../support/builders.ts"

it("prompt caching is recommended from 1,024 input tokens on, where it saves a tenth", () => {
  const actions = (
    over: Partial<ModelCard>, input: number, output = 0, incumbentModelId: string | null = null, unit: "call" | "run" = "call"
  ) =>
    recommendedActions(defaults, { ...priced("a", 0.8, 1, { card: card("a", over) }), score: 0 }, {
      task: task({ expectedInputTokens: input, expectedOutputTokens: output, unit }),
      classified: classified(),
      caching: { requirePromptCaching: false, incumbentModelId },
      measurements: noNeighbours
    })
  const caching = { supportsPromptCaching: true, inputCostPerMtok: 1, outputCostPerMtok: 4, cacheReadCostPerMtok: 0.1 }
  assert.deepStrictEqual(actions(caching, 1_024), ["enable_prompt_cache"])
  assert.deepStrictEqual(actions(caching, 1_023), [])
  // Seven tenths of the input at nine tenths off: 6,300 of 10,000 and 13,250 tokens of output at four times the price.
  assert.deepStrictEqual(actions(caching, 10_000, 13_250), ["enable_prompt_cache"])
  assert.deepStrictEqual(actions(caching, 10_000, 13_251), [])
  assert.deepStrictEqual(actions({ ...caching, cacheReadCostPerMtok: null }, 100_000), [])
  assert.deepStrictEqual(actions({ ...caching, cacheReadCostPerMtok: 1 }, 100_000), [])
  assert.deepStrictEqual(actions({ ...caching, supportsPromptCaching: false }, 100_000), [])
  assert.deepStrictEqual(actions(caching, 1_024, 0, "b"), ["enable_prompt_cache"])
  assert.deepStrictEqual(actions(caching, 1_024, 0, "a"), ["keep_prompt_cache"])
  // A run's own calls keep a cache warm.
  assert.deepStrictEqual(actions(caching, 500_000, 10_000, null, "run"), ["enable_prompt_cache"])
})
