import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { RankedModel } from "../../../src/domain/Recommendation.ts"
import { Probability, Usd } from "../../../src/domain/Units.ts"
import type { Priced, Scored } from "../../../src/engine/recommend/Candidate.ts"
import { rankedModel, rationale, recommendedActions } from "../../../src/engine/recommend/Explain.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { card, neighbours, priced } from "../../support/builders.ts"

const scored = (over: Partial<Priced> = {}, costUsd = 0.00123456): Scored => ({
  ...priced("a", 0.812, costUsd, { successLow: 0.6, successHigh: 0.91, ...over }),
  score: 0.4
})
const weighing = (count: number, weight = 1) =>
  neighbours(count, "a").map((neighbour) => ({ neighbour, weight }))

it("the rationale says the chance, what it rests on, the bar and the cost", () => {
  assert.strictEqual(
    rationale(scored(), 0.735),
    "81 % likely to succeed (60 % to 91 %) from its benchmark prior, which clears the 74 % threshold, "
      + "for $0.00123 (est)."
  )
  assert.strictEqual(
    rationale(scored({ decisionBasis: "memory", neighbours: weighing(1), costBasis: "rescaled" }), 0.9),
    "81 % likely to succeed (60 % to 91 %) from 1 similar outcome, which misses the 90 % threshold, "
      + "for $0.00123 (obs)."
  )
})

it("a cold cost is tagged est, an observed or rescaled one obs", () => {
  assert.match(rationale(scored({ costBasis: "estimate" }), 0.5), /\(est\)/)
  assert.match(rationale(scored({ costBasis: "observed" }), 0.5), /\(obs\)/)
  assert.match(rationale(scored({ costBasis: "rescaled" }), 0.5), /\(obs\)/)
})

it("the rationale names the lane when its outcomes speak without a neighbour", () => {
  const text = rationale(scored({ decisionBasis: "memory" }), 0.5)
  assert.include(text, "this lane's outcomes in the same cluster")
})

it.prop("the rationale is one sentence", {
  success: Probability, costUsd: Usd, bar: Probability
}, ({ bar, costUsd, success }) => {
  const text = rationale({ ...scored({}, costUsd), predictedSuccess: success }, bar)
  assert.match(text, /^\d.*\.$/)
  assert.notMatch(text, /\.\s/)
  assert.notInclude(text, "\n")
})

it("evidence is at most five neighbours with weight, heaviest first, none without explain", () => {
  const found = [...weighing(7), ...weighing(2, 0)]
  const shown = rankedModel(defaults, scored({ neighbours: found }), 0.5, true)
  assert.deepStrictEqual(shown.evidence.map((each) => each.entryId), ["a-0", "a-1", "a-2", "a-3", "a-4"])
  const weightless = scored({ neighbours: weighing(2, 0) })
  assert.deepStrictEqual(rankedModel(defaults, weightless, 0.5, true).evidence, [])
  assert.deepStrictEqual(rankedModel(defaults, scored({ neighbours: found }), 0.5, false).evidence, [])
})

it("a ranked model is valid on the wire, with a latency basis exactly when there is a latency", () => {
  const cold = rankedModel(defaults, scored(), 0.5, true)
  assert.deepStrictEqual([cold.estLatencyMs, cold.latencyBasis], [null, ""])
  const warm = rankedModel(defaults, scored({ latencyMsP75: 350, neighbours: weighing(2) }), 0.5, true)
  assert.deepStrictEqual([warm.estLatencyMs, warm.latencyBasis], [350, "observed_p75"])
  for (const shown of [cold, warm]) {
    assert.deepStrictEqual(Schema.decodeSync(RankedModel)(Schema.encodeSync(RankedModel)(shown)), shown)
  }
  assert.closeTo(cold.successIntervalWidth, 0.31, 1e-12)
})

it("prompt caching is suggested from 1,024 input tokens on for a pick that supports it", () => {
  const caching = scored({ card: card("a", { supportsPromptCaching: true }) })
  assert.deepStrictEqual(recommendedActions(defaults, caching, 1_024), ["enable_prompt_cache"])
  assert.deepStrictEqual(recommendedActions(defaults, caching, 1_023), [])
  assert.deepStrictEqual(recommendedActions(defaults, scored(), 100_000), [])
})
