import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ModelCard } from "../../../../src/domain/model/Model.ts"
import { difficulties, taskTypes, type Unit } from "../../../../src/domain/Task.ts"
import type { Classified } from "../../../../src/engine/recommend/candidates/Candidate.ts"
import { atLearnedLevel, priorFactsOf, withPrior } from "../../../../src/engine/recommend/prediction/Prior.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import * as Logit from "../../../../src/stats/Logit.ts"
import { card, classified, measuredCard } from "../../../support/builders.ts"

const pool = [measuredCard("weak", 0.5, 1), measuredCard("strong", 0.8, 5)]
const Capability = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 0.99 }))

const none = { weight: 0, success: 0 }

const withPriors = (settings: typeof defaults, models: ReadonlyArray<ModelCard>, of: Classified) =>
  models.map((model) => withPrior(settings, priorFactsOf(settings, model), of))

const priorOf = (model: ModelCard, of: Partial<Classified> = {}) =>
  withPriors(defaults, [model], classified(of))[0] ?? assert.fail("no candidate")

it("a prior is the benchmark's distance from the reference, at a level of our own", () => {
  // logit 0.5 = 0 and logit 0.8 = 1.386294, so the priors' logits are 1.2 + 0 - 1.445 and 1.2 + 1.386294 - 1.445.
  const [weak, strong] = withPriors(defaults, pool, classified())
  assert.closeTo(weak?.prior ?? 0, 1 / (1 + Math.exp(0.245)), 1e-6)
  assert.closeTo(strong?.prior ?? 0, 1 / (1 + Math.exp(-1.141294)), 1e-6)
})

it("the prior of a model does not depend on which other models may be chosen", () => {
  for (const taskType of taskTypes) {
    for (const difficulty of difficulties) {
      const asked = classified({ taskType, difficulty })
      const together = withPriors(defaults, [...pool, card("unknown")], asked)
      for (const each of together) {
        assert.deepStrictEqual(withPriors(defaults, [each.card], asked), [each])
      }
    }
  }
})

it("a model without any fact starts at the reference, and says nothing about a lane's level", () => {
  const unknown = priorOf(card("unknown"))
  assert.closeTo(unknown.prior, Logit.sigmoid(1.2), 1e-12)
  const failing = { lane: { weight: 50, success: 0 }, taskType: none, cluster: none, tags: none }
  const known = priorOf(pool[1] ?? card("m"))
  const levelled = (failed: string) =>
    atLearnedLevel(defaults, [unknown, known], new Map([[failed, failing]])).map(({ prior }) => prior)
  assert.deepStrictEqual(levelled("unknown"), [unknown.prior, known.prior])
  assert.isBelow(levelled("strong")[0] ?? 1, unknown.prior)
})

it("ten outcomes lift a model that never ran, where a benchmark measured it", () => {
  const [ran, measured] = ["ran", "measured"].map((id) => priorOf(measuredCard(id, 0.8, 1)))
  const imputed = priorOf({ ...measuredCard("imputed", 0.8, 1), capabilitySource: "family+price" })
  const after = (weight: number) => {
    const succeeding = { lane: { weight, success: weight }, taskType: none, cluster: none, tags: none }
    return atLearnedLevel(defaults, [ran!, measured!, imputed], new Map([["ran", succeeding]])).map(({ prior }) => prior)
  }
  assert.strictEqual(after(9)[1], measured!.prior)
  assert.isAbove(after(9)[0] ?? 0, ran!.prior)
  const priors = after(10)
  assert.isAbove(priors[0] ?? 0, ran!.prior)
  assert.strictEqual(priors[1], priors[0])
  assert.strictEqual(priors[2], imputed.prior)
})

it("a run's prior is the model's at runs, else at code, else the mean of its task types", () => {
  const of = (capabilityByTaskType: Readonly<Record<string, number>>, unit?: Unit) =>
    priorFactsOf(defaults, { ...measuredCard("m", 0.5, 1), capabilityByTaskType }, unit).priorLogit - 1.2 + 1.445
  const known = { code: 0.8, qa: 0.6, agent_run: 0.9 }
  assert.closeTo(of(known, "run"), Logit.logit(0.9), 1e-12)
  assert.closeTo(of({ code: 0.8, qa: 0.6 }, "run"), Logit.logit(0.8), 1e-12)
  assert.closeTo(of({ rag: 0.8, qa: 0.6 }, "run"), (Logit.logit(0.8) + Logit.logit(0.6)) / 2, 1e-12)
  assert.closeTo(of({}, "run"), 1.445, 1e-12)
})

it("what runs say of a model changes no call, unless it is all that is known", () => {
  const of = (capabilityByTaskType: Readonly<Record<string, number>>) =>
    priorFactsOf(defaults, { ...measuredCard("m", 0.5, 1), capabilityByTaskType })
  assert.strictEqual(of({ code: 0.8, qa: 0.6, agent_run: 0.9 }).priorLogit, of({ code: 0.8, qa: 0.6 }).priorLogit)
  assert.strictEqual(of({ agent_run: 0.9 }).priorLogit, of({ code: 0.9 }).priorLogit)
})

it("the failures of a model whose prior is only declared do not lower the other models", () => {
  const failing = { lane: { weight: 50, success: 0 }, taskType: none, cluster: none, tags: none }
  const candidates = ["declared", "benchmark"].map((capabilitySource) =>
    priorOf({ ...measuredCard(capabilitySource, 0.9, 1), capabilitySource }))
  const [declared, measured] = candidates.map(({ prior }) => prior)
  const levelled = (failed: string) =>
    atLearnedLevel(defaults, candidates, new Map([[failed, failing]])).map(({ prior }) => prior)
  assert.deepStrictEqual(levelled("declared"), [declared, measured])
  assert.isBelow(levelled("benchmark")[0] ?? 1, declared ?? 0)
})

it("an imputed prior is discounted, a measured and a declared one are not", () => {
  const measured = measuredCard("m", 0.8, 1)
  const whole = priorOf(measured)
  for (const capabilitySource of ["family+price", "price+date"]) {
    const imputed = priorOf({ ...measured, capabilitySource })
    assert.closeTo(imputed.priorLogit, whole.priorLogit - defaults.imputedDiscountLogit, 1e-12)
    assert.closeTo(Logit.logit(imputed.prior), Logit.logit(whole.prior) - defaults.imputedDiscountLogit, 1e-9)
  }
  for (const capabilitySource of ["benchmark", "benchmark-thin", "catalog_file", "declared"]) {
    assert.strictEqual(priorOf({ ...measured, capabilitySource }).prior, whole.prior)
  }
})

it("a benchmark weighs twelve outcomes; a guess from family, price or date, and ignorance, ten", () => {
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

it("a model's ability is the mean of its benchmarks in logits, whatever the type of task", () => {
  const model = card("m", { capabilityByTaskType: { code: 0.5, summarization: 0.9 }, capabilitySource: "benchmark" })
  for (const taskType of taskTypes) {
    assert.closeTo(priorOf(model, { taskType }).priorLogit, 1.2 + Logit.logit(0.9) / 2 - 1.445, 1e-9)
  }
})

it("a known difficulty shifts a model by its level", () => {
  const model = measuredCard("m", Logit.sigmoid(defaults.priorReferenceLogit), 1)
  const { prior, priorLogit } = priorOf(model, { difficulty: "expert" })
  assert.closeTo(priorLogit, 1.2, 1e-9)
  assert.closeTo(prior, Logit.sigmoid(1.2 + defaults.difficultyShiftLogit.expert), 1e-9)
})

it("a difficulty that is not known shifts a model by a share of how hard the text reads", () => {
  const model = measuredCard("m", Logit.sigmoid(defaults.priorReferenceLogit), 1)
  for (const difficultyLogit of [-2, -0.3, 0, 0.7]) {
    const { prior } = priorOf(model, { isDifficultyKnown: false, difficultyLogit })
    assert.closeTo(prior, Logit.sigmoid(1.2 - defaults.readDifficultyShare * difficultyLogit), 1e-9)
  }
})

it.prop(
  "a harder task never raises a prior, and no difficulty changes the order of two models",
  { one: Capability, other: Capability },
  ({ one, other }) => {
    const models = [measuredCard("one", one, 1), measuredCard("other", other, 1)]
    let easier = [1, 1]
    for (const difficulty of difficulties) {
      const priors = withPriors(defaults, models, classified({ difficulty })).map(({ prior }) => prior)
      priors.forEach((prior, i) => {
        assert.isAtMost(prior, easier[i] ?? 1)
        assert.isAbove(prior, 0)
        assert.isBelow(prior, 1)
      })
      if (one > other) assert.isAtLeast(priors[0] ?? 0, priors[1] ?? 1)
      easier = priors
    }
  }
)
