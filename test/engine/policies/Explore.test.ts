import { assert, it } from "@effect/vitest"
import { Effect, Random, Schema } from "effect"
import { Probability } from "../../../src/domain/Units.ts"
import { explored } from "../../../src/engine/policies/Explore.ts"
import { startOf } from "../../../src/engine/policies/Policy.ts"
import type { Scored } from "../../../src/engine/recommend/candidates/Candidate.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { priced } from "../../support/builders.ts"
import { asked, atLeastOne, choiceOf, criteriaIn } from "../../support/choices.ts"
import { guaranteeBy } from "../../support/guarantees.ts"

const exploring = asked({ selectionPolicy: "epsilon_softmax" })
/** Draws every pick. */
const always = { ...defaults, explorationShare: 1 }
const four = [
  priced("a", 0.75, 1), priced("b", 0.9, 2), priced("c", 0.8, 3), priced("poor", 0.4, 0.1)
] as const

it("with share epsilon a draw tempered by predicted success, else the cheapest eligible", () => {
  const eligible: ReadonlyArray<Scored> = four.slice(0, 3).map((each) => ({ ...each, score: 0 }))
  const [a] = eligible
  if (a === undefined) return assert.fail("three eligible")
  // exp(p / 0.1): a 1, b e^1.5, c e^0.5, relative to a.
  const total = 1 + Math.exp(1.5) + Math.exp(0.5)
  const choice = { ...startOf(four, criteriaIn(exploring)), eligible, pick: a, deterministic: a }
  assert.closeTo(explored(defaults, choice, 0).propensity, 0.97 + 0.03 / total, 1e-12)
  const last = explored(defaults, choice, 0.999_999)
  assert.strictEqual(last.pick.card.modelId, "c")
  assert.closeTo(last.propensity, 0.03 * Math.exp(0.5) / total, 1e-12)
})

it("nothing is drawn with none or one eligible", () => {
  const poor = priced("poor", 0.4, 1)
  for (const candidates of [[poor, priced("worse", 0.3, 1)], [priced("a", 0.9, 1), poor]] as const) {
    for (const uniform of [0, 0.5, 0.999_999]) {
      const { deterministic, warnings, pick, propensity } = choiceOf(defaults, candidates, exploring, uniform)
      assert.strictEqual(pick, deterministic)
      assert.strictEqual(propensity, 1)
      assert.notInclude(warnings, "exploration_pick")
    }
  }
})

it("another pick than the deterministic one has the warning exploration_pick", () => {
  const drawn = choiceOf(defaults, four, exploring, 0.999_999)
  assert.strictEqual(drawn.deterministic.card.modelId, "a")
  assert.notStrictEqual(drawn.pick.card.modelId, "a")
  assert.deepStrictEqual(drawn.warnings, ["exploration_pick"])
  assert.deepStrictEqual(choiceOf(defaults, four, exploring, 0.5).warnings, [])
})

it("nothing is drawn under a guarantee, even where its baseline is no candidate", () => {
  const guarantee = guaranteeBy({ baselineModelId: "gone" })
  const { deterministic, pick, warnings } = choiceOf(always, four, { ...exploring, guarantee }, 0.999_999)
  assert.strictEqual(pick, deterministic)
  assert.deepStrictEqual(warnings, ["guarantee_baseline_unavailable"])
})

const Rows = Schema.Array(Probability).check(Schema.isMinLength(1), Schema.isMaxLength(8))
const Uniform = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999_999_999 }))

it.prop("exploration never picks a model below the threshold", { rows: Rows, uniform: Uniform }, ({ rows, uniform }) => {
  const candidates = atLeastOne(rows.map((p, i) => priced(`m${i}`, p, i)))
  const { eligible, pick, propensity } = choiceOf(always, candidates, exploring, uniform)
  if (eligible.length > 0) assert.isAtLeast(pick.predictedSuccess, exploring.threshold)
  assert.isAbove(propensity, 0)
  assert.isAtMost(propensity, 1)
})

it.prop("the propensities of all possible draws sum to 1", { rows: Rows }, ({ rows }) => {
  const candidates = atLeastOne(rows.map((p, i) => priced(`m${i}`, 0.7 + p * 0.3, i)))
  const propensities = new Map<string, number>()
  // A pick is that of every draw up to the sum of what was picked so far: one draw of each is all of them.
  for (let sum = 0; sum < 1 - 1e-9 && propensities.size <= rows.length;) {
    const { pick, propensity } = choiceOf(always, candidates, exploring, sum)
    assert.isFalse(propensities.has(pick.card.modelId))
    propensities.set(pick.card.modelId, propensity)
    sum += propensity
    if (sum < 1) sum += 1e-12
  }
  assert.strictEqual(propensities.size, rows.length)
  assert.closeTo([...propensities.values()].reduce((sum, each) => sum + each, 0), 1, 1e-9)
})

it.effect("over 100,000 draws every model is picked as often as its logged propensity says", () =>
  Effect.gen(function*() {
    const draws = 100_000
    const undrawn = choiceOf(defaults, four, asked())
    const seen = new Map<string, { readonly count: number; readonly propensity: number }>()
    for (let i = 0; i < draws; i++) {
      const { pick, propensity } = explored(defaults, undrawn, yield* Random.next)
      seen.set(pick.card.modelId, { count: (seen.get(pick.card.modelId)?.count ?? 0) + 1, propensity })
    }
    assert.deepStrictEqual([...seen.keys()].sort(), ["a", "b", "c"])
    const chiSquare = [...seen.values()].reduce((sum, { count, propensity }) =>
      sum + (count - draws * propensity) ** 2 / (draws * propensity), 0)
    // Two degrees of freedom: 13.8 is the one-in-a-thousand quantile; the seed is fixed.
    assert.isBelow(chiSquare, 13.8)
  }).pipe(Random.withSeed("chi-square")))
