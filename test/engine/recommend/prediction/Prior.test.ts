import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { difficulties } from "../../../../src/domain/Task.ts"
import { withPriors } from "../../../../src/engine/recommend/prediction/Prior.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import * as Logit from "../../../../src/stats/Logit.ts"
import { card, classified, measuredCard } from "../../../support/builders.ts"

const pool = [measuredCard("weak", 0.5, 1), measuredCard("strong", 0.8, 5)]
const Capability = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 0.99 }))

it("priors keep benchmark order around a level of our own", () => {
  // logit 0.5 = 0 and logit 0.8 = 1.386294; their mean is 0.693147, so x is 1.2 -/+ 1.2 * 0.693147.
  const [weak, strong] = withPriors(defaults, pool, classified())
  assert.closeTo(weak?.prior ?? 0, 1 / (1 + Math.exp(-(1.2 - 0.831777))), 1e-6)
  assert.closeTo(strong?.prior ?? 0, 1 / (1 + Math.exp(-(1.2 + 0.831777))), 1e-6)
})

it("a model without any fact starts at the pool's centre", () => {
  const [, , unknown] = withPriors(defaults, [...pool, card("unknown")], classified())
  assert.closeTo(unknown?.prior ?? 0, Logit.sigmoid(1.2), 1e-12)
})

it("a pool without any fact starts at the level", () => {
  for (const { prior } of withPriors(defaults, [card("a"), card("b")], classified())) {
    assert.closeTo(prior, Logit.sigmoid(1.2), 1e-12)
  }
})

it("a benchmark weighs twelve outcomes; a guess from family, price or date, and ignorance, weigh ten", () => {
  const guessed = (capabilitySource: string) =>
    ({ ...measuredCard(capabilitySource, 0.6, 1), capabilitySource })
  const strengths = withPriors(
    defaults,
    [guessed("benchmark"), guessed("benchmark-thin"), guessed("catalog_file"), guessed("family+price"),
      guessed("price+date"), card("none")],
    classified()
  ).map((each) => each.priorStrength)
  assert.deepStrictEqual(strengths, [12, 12, 12, 10, 10, 10])
})

it("a given difficulty shifts the level whole, a guessed one half", () => {
  const at = (isDifficultyGiven: boolean) =>
    withPriors(defaults, [card("a")], classified({ difficulty: "expert", isDifficultyGiven }))[0]?.prior ?? 0
  const [given] = withPriors(defaults, [card("a")], classified({ difficulty: "expert" }))
  assert.strictEqual(given?.priorLogit, 1.2)
  assert.closeTo(at(true), Logit.sigmoid(1.2 - 0.8), 1e-12)
  assert.closeTo(at(false), Logit.sigmoid(1.2 - 0.4), 1e-12)
})

it("a harder task never raises a prior", () => {
  const priors = difficulties.map((difficulty) =>
    withPriors(defaults, pool, classified({ difficulty }))[0]?.prior ?? 0
  )
  for (const [i, prior] of priors.entries()) if (i > 0) assert.isAtMost(prior, priors[i - 1] ?? 1)
})

it.prop(
  "priors are probabilities in the order of the benchmarks, whatever the pool's order",
  { capabilities: Schema.Array(Capability).check(Schema.isMinLength(1), Schema.isMaxLength(12)) },
  ({ capabilities }) => {
    const cards = capabilities.map((capability, i) => measuredCard(`m${i}`, capability, 1))
    const priors = new Map(
      withPriors(defaults, cards, classified()).map((each) => [each.card.modelId, each.prior] as const)
    )
    for (const { card: one, prior } of withPriors(defaults, [...cards].reverse(), classified())) {
      assert.closeTo(prior, priors.get(one.modelId) ?? -1, 1e-9)
      assert.isAbove(prior, 0)
      assert.isBelow(prior, 1)
      for (const other of cards) {
        if ((one.capabilityByTaskType["code"] ?? 0) > (other.capabilityByTaskType["code"] ?? 0)) {
          assert.isAtLeast(prior, (priors.get(other.modelId) ?? 0) - 1e-12)
        }
      }
    }
  }
)
