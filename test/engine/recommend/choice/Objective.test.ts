import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Probability } from "../../../../src/domain/Units.ts"
import { costObjective, objectiveOf } from "../../../../src/engine/recommend/choice/Objective.ts"
import { asked, type Candidates, choiceOf } from "../../../support/choices.ts"
import { rationales } from "../../../../src/engine/recommend/answer/Rationale.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { costTieUsd } from "../../../../src/stats/PolicyRules.ts"
import { priced } from "../../../support/builders.ts"

const timed = (modelId: string, success: number, usd: number, p75: number) =>
  priced(modelId, success, usd, { latencyMs: { p50: p75 / 2, p75 } })
const unmeasured = (modelId: string, success: number, usd: number) => priced(modelId, success, usd)
const decide = (...candidates: Candidates) => choiceOf(defaults, candidates, asked({ optimizeFor: "latency" }))
const picked = (...candidates: Candidates) => decide(...candidates).pick.card.modelId

describe("a request for low latency", () => {
  it("gets the fastest model that reaches the threshold, whatever it costs", () => {
    const slow = timed("slow", 0.9, 1, 4_000)
    assert.strictEqual(picked(slow, timed("fast", 0.75, 9, 800), timed("faster", 0.69, 1, 200)), "fast")
  })
  it("gets the likeliest model where none reaches the threshold", () => {
    assert.strictEqual(picked(timed("slow", 0.6, 1, 4_000), timed("fast", 0.5, 1, 100)), "slow")
  })
  it("gets the likelier of two models about as fast, and the cheaper of two equals", () => {
    assert.strictEqual(picked(timed("likely", 0.9, 2, 1_040), timed("fast", 0.8, 1, 1_000)), "likely")
    assert.strictEqual(picked(timed("dear", 0.9, 2, 1_000), timed("cheap", 0.9, 1, 1_010)), "cheap")
    assert.strictEqual(picked(timed("likely", 0.9, 2, 1_060), timed("fast", 0.8, 1, 1_000)), "fast")
  })
  it("takes a model without a latency as the mean of the others", () => {
    const [slow, fast] = [timed("slow", 0.9, 1, 4_000), timed("fast", 0.8, 1, 1_000)]
    const { objective } = objectiveOf(defaults, { optimizeFor: "latency", valueUsd: null }, [slow, fast, unmeasured("new", 0.9, 1)])
    assert.strictEqual(objective.of(unmeasured("new", 0.9, 1)), 2_500)
    assert.strictEqual(picked(slow, fast, unmeasured("new", 0.9, 1)), "fast")
    // Where the only one that was measured is no faster than the mean, the cheaper of equals is tried.
    assert.strictEqual(picked(timed("known", 0.9, 2, 4_000), unmeasured("new", 0.9, 1)), "new")
  })
  it("goes by cost with a warning where no candidate has a latency", () => {
    const { warnings, pick } = decide(unmeasured("dear", 0.9, 2), unmeasured("cheap", 0.8, 1))
    assert.deepStrictEqual([pick.card.modelId, warnings], ["cheap", ["no_latency_history"]])
  })
  it("is ranked by success against latency, and its fallback is the fastest that is likelier", () => {
    const { fallback, pick, ranked } = decide(
      timed("slow", 0.99, 1, 10_000), timed("middle", 0.95, 1, 2_000), timed("fast", 0.8, 1, 500)
    )
    assert.deepStrictEqual(ranked.map(({ card }) => card.modelId), ["middle", "fast", "slow"])
    assert.strictEqual(pick.card.modelId, "fast")
    assert.strictEqual(fallback?.card.modelId, "middle")
  })
  it("is explained by latencies", () => {
    const choice = decide(
      timed("slow", 0.9, 1, 4_000), timed("fast", 0.8, 2, 900), unmeasured("new", 0.9, 1)
    )
    const say = rationales(choice)
    const [fast, ...others] = ["fast", "slow", "new"].map((modelId) =>
      say(choice.ranked.find(({ card }) => card.modelId === modelId) ?? assert.fail(modelId)))
    assert.match(fast ?? "", /the fastest of the 3 candidates that reach tau 0\.7, at 900 ms/)
    assert.match(others[0] ?? "", /but slower than fast at 900 ms\.$/)
    assert.match(others[1] ?? "", /but no latency of it is known, and fast is faster than the mean\.$/)
  })
})

const Row = Schema.Struct({ success: Probability, usd: Probability, seconds: Schema.NullOr(Probability) })
it.prop("no candidate that reaches the threshold is faster than the pick by more than a tie", {
  rows: Schema.Array(Row).check(Schema.isMinLength(1), Schema.isMaxLength(8))
}, ({ rows }) => {
  const candidates = rows.map(({ seconds, success, usd }, i) => priced(`m${i}`, success, usd, {
    latencyMs: seconds === null ? null : { p50: seconds * 500, p75: seconds * 1_000 }
  }))
  const { eligible, objective, pick } = decide(...candidates as unknown as Candidates)
  for (const each of eligible) {
    assert.isAtMost(objective.of(pick), objective.of(each) + objective.tie + 1e-9)
  }
})

it("the objective of a request for low cost reads the cost alone", () => {
  const { warnings, objective } = objectiveOf(defaults, { optimizeFor: "cost", valueUsd: null }, [timed("a", 0.9, 3, 1)])
  assert.deepStrictEqual(warnings, [])
  assert.strictEqual(objective.of(timed("a", 0.9, 3, 1)), 3)
  assert.strictEqual(costObjective.tie, costTieUsd)
})
