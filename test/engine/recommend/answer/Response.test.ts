import { assert, it } from "@effect/vitest"
import type { ModelCard } from "../../../../src/domain/model/Model.ts"
import { recommendedActions } from "../../../../src/engine/recommend/answer/Response.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { card, priced } from "../../../support/builders.ts"

it("prompt caching is recommended from 1,024 input tokens on, where the pick supports it and it saves", () => {
  const actions = (over: Partial<ModelCard>, inputTokens: number, incumbentModelId: string | null = null) =>
    recommendedActions(
      defaults,
      { ...priced("a", 0.8, 1, { card: card("a", over) }), score: 0 },
      inputTokens,
      { requirePromptCaching: false, incumbentModelId }
    )
  const caching = { supportsPromptCaching: true, cacheReadCostPerMtok: 0.1 }
  assert.deepStrictEqual(actions(caching, 1_024), ["enable_prompt_cache"])
  assert.deepStrictEqual(actions({ supportsPromptCaching: true }, 1_024), ["enable_prompt_cache"])
  assert.deepStrictEqual(actions(caching, 1_023), [])
  assert.deepStrictEqual(actions({}, 100_000), [])
  assert.deepStrictEqual(actions({ ...caching, cacheReadCostPerMtok: 1 }, 100_000), [])
  assert.deepStrictEqual(actions(caching, 1_024, "b"), ["enable_prompt_cache"])
  assert.deepStrictEqual(actions(caching, 1_024, "a"), ["keep_prompt_cache"])
})
