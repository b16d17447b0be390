import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { variantIdOf } from "../../src/domain/model/ModelVariant.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import * as LedgerLocal from "../local/LedgerLocal.ts"
import { measuredCard, snapshot } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"
import { engine, learn, recommend } from "./pipelines.ts"

const thinker = {
  ...measuredCard("thinker", 0.8, 2),
  effortLevels: [
    { effort: "low", verbosity: 0.5 }, { effort: "medium", verbosity: 1 }, { effort: "high", verbosity: 2 }
  ]
}
const models = [measuredCard("cheap", 0.6763, 0.1), thinker, measuredCard("dear", 0.9115, 10)]
const withEfforts = { catalog: catalogOf(snapshot(models)) }

const low = variantIdOf({ modelId: "thinker", effort: "low" })
const high = variantIdOf({ modelId: "thinker", effort: "high" })
const candidates = (...candidateModels: ReadonlyArray<string>) => ({ constraints: { candidateModels } })

/** The engine, and the ledger that it writes to. */
const observed = () => {
  const ledger = Layer.effect(Ledger, Ledger).pipe(Layer.provide(Layer.fresh(LedgerLocal.layer)))
  return engine({ ...withEfforts, ledger }).pipe(Layer.provideMerge(ledger))
}

/** The models that have outcomes on the decision of an answer, by the ids that the ledger keeps. */
const outcomesOf = (recommendationId: string) =>
  Effect.gen(function*() {
    const id = RecommendationId.parse(recommendationId) ?? assert.fail("no id")
    const found = yield* (yield* Ledger).find(AccountId.make("acme"), id)
    return (found?.outcomes ?? []).map(({ modelId }) => modelId).sort()
  })

/** What a feedback teaches, of these candidates and whatever else is asked. */
const taught = (ask: Parameters<typeof recommend>[0], ...said: ReadonlyArray<Parameters<typeof learn>[1]>) =>
  Effect.gen(function*() {
    const answer = yield* recommend(ask)
    const answers = yield* Effect.forEach(said, (each) => learn(answer, each))
    return {
      answer,
      outcomes: yield* outcomesOf(answer.recommendationId),
      warnings: answers.flatMap(({ warnings }) => warnings)
    }
  }).pipe(Effect.provide(observed()))

describe("A candidate with a level of effort", () => {
  it.effect("is a variant of its own: its model, and the level beside it", () =>
    Effect.gen(function*() {
      const { ranked, recommendedModel } = yield* recommend(candidates("thinker#low", "thinker#high", "dear"))
      assert.deepStrictEqual(
        ranked.map(({ effort, modelId }) => [modelId, effort]).sort(),
        [["dear", null], ["thinker", "high"], ["thinker", "low"]]
      )
      const { effort, modelId, requestedModelId } = ranked.find((each) => each.effort !== null) ?? recommendedModel
      assert.strictEqual(requestedModelId, `${modelId}#${effort}`)
      const of = (wanted: string) => ranked.find(({ effort }) => effort === wanted) ?? assert.fail(wanted)
      assert.isBelow(of("low").predictedSuccess, of("high").predictedSuccess)
      assert.isBelow(of("low").estCostUsd, of("high").estCostUsd)
    }).pipe(Effect.provide(engine(withEfforts))))

  it.effect("may stand beside the model itself, whose effort is the caller's", () =>
    Effect.gen(function*() {
      const { ranked } = yield* recommend(candidates("thinker", "thinker#low", "thinker#LOW"))
      assert.deepStrictEqual(ranked.map(({ effort }) => effort).sort(), ["low", null])
    }).pipe(Effect.provide(engine(withEfforts))))

  it.effect("is a fallback of the same model with more effort", () =>
    Effect.gen(function*() {
      const { fallbackModel, recommendedModel } = yield* recommend(
        { ...candidates("thinker#low", "thinker#high"), costQualityTradeoff: 0 }
      )
      assert.deepStrictEqual([recommendedModel.modelId, recommendedModel.effort], ["thinker", "low"])
      assert.deepStrictEqual([fallbackModel?.modelId, fallbackModel?.effort], ["thinker", "high"])
    }).pipe(Effect.provide(engine(withEfforts))))

  it.effect("names no model where the model has no such level, and is unknown like any other id", () =>
    Effect.gen(function*() {
      const { ranked, warnings } = yield* recommend(candidates("dear", "dear#low", "thinker#lowest", "thinker#"))
      assert.deepStrictEqual(ranked.map(({ modelId }) => modelId), ["dear"])
      assert.include(warnings, "unknown_models:3")
    }).pipe(Effect.provide(engine(withEfforts))))

  it.effect("is excluded with its model, or alone", () =>
    Effect.gen(function*() {
      const ask = (excludedModels: ReadonlyArray<string>) =>
        Effect.map(
          recommend({ constraints: { candidateModels: ["thinker#low", "thinker#high", "dear"], excludedModels } }),
          ({ ranked }) => ranked.map(({ effort, modelId }) => `${modelId} ${effort}`).sort()
        )
      assert.deepStrictEqual(yield* ask(["thinker"]), ["dear null"])
      assert.deepStrictEqual(yield* ask(["thinker#high"]), ["dear null", "thinker low"])
    }).pipe(Effect.provide(engine(withEfforts))))

  it.effect("is left out of a request that names none", () =>
    Effect.gen(function*() {
      const { ranked } = yield* recommend()
      assert.deepStrictEqual(ranked.map(({ effort }) => effort), [null, null, null])
    }).pipe(Effect.provide(engine(withEfforts))))
})

describe("A feedback teaches", () => {
  const variants = { ...candidates("thinker#low", "thinker#high", "dear"), costQualityTradeoff: 0 }

  it.effect("the variant of its effort, in any case and by either spelling", () =>
    Effect.gen(function*() {
      const one = yield* taught(variants, { chosenModelId: "thinker", chosenEffort: "HIGH" })
      assert.deepStrictEqual([one.outcomes, one.warnings], [[high], []])
      const other = yield* taught(variants, { chosenModelId: "thinker#high" })
      assert.deepStrictEqual([other.outcomes, other.warnings], [[high], []])
    }))

  it.effect("two variants where a second effort was tried after the first", () =>
    Effect.gen(function*() {
      const { outcomes, warnings } = yield* taught(
        variants,
        { chosenModelId: "thinker", chosenEffort: "low", outcome: "failure" },
        { chosenModelId: "thinker", chosenEffort: "high" },
        { chosenModelId: "thinker", chosenEffort: "high" }
      )
      assert.deepStrictEqual([outcomes, warnings], [[high, low], []])
    }))

  it.effect("a variant that was no candidate, where the model has the level", () =>
    Effect.gen(function*() {
      const { outcomes } = yield* taught(variants, { chosenModelId: "thinker", chosenEffort: "medium" })
      assert.deepStrictEqual(outcomes, [variantIdOf({ modelId: "thinker", effort: "medium" })])
    }))

  it.effect("the model itself where the effort is none of it, and says so", () =>
    Effect.gen(function*() {
      for (const chosenEffort of ["lowest", "low#high", "x".repeat(256), "Größe", "#"]) {
        const { outcomes, warnings } = yield* taught(variants, { chosenModelId: "thinker", chosenEffort })
        assert.deepStrictEqual([outcomes, warnings], [["thinker"], ["unknown_effort"]])
      }
    }))

  it.effect("the recommended variant where it names the recommended model, or none", () =>
    Effect.gen(function*() {
      const named = yield* taught(variants, { chosenModelId: "thinker" })
      assert.strictEqual(named.answer.recommendedModel.effort, "low")
      assert.deepStrictEqual(named.outcomes, [low])
      assert.deepStrictEqual((yield* taught(variants, { chosenModelId: null })).outcomes, [low])
      const other = yield* taught(variants, { chosenModelId: null, chosenEffort: "high" })
      assert.deepStrictEqual(other.outcomes, [high])
    }))

  it.effect("the one variant of another model, and that model itself where it has several", () =>
    Effect.gen(function*() {
      const ask = (...ids: ReadonlyArray<string>) => ({ ...candidates("cheap", ...ids), costQualityTradeoff: 0 })
      const one = yield* taught(ask("thinker#high"), { chosenModelId: "thinker" })
      assert.strictEqual(one.answer.recommendedModel.modelId, "cheap")
      assert.deepStrictEqual(one.outcomes, [high])
      const several = yield* taught(ask("thinker#high", "thinker#low"), { chosenModelId: "thinker" })
      assert.deepStrictEqual(several.outcomes, ["thinker"])
      const both = yield* taught(ask("thinker#high", "thinker"), { chosenModelId: "thinker" })
      assert.deepStrictEqual(both.outcomes, ["thinker"])
    }))

  it.effect("a candidate without a level where the level is no candidate, since any is the caller's", () =>
    Effect.gen(function*() {
      const beside = candidates("thinker", "thinker#low")
      for (const chosenEffort of ["high", "lowest"]) {
        const { outcomes, warnings } = yield* taught(beside, { chosenModelId: "thinker", chosenEffort })
        assert.deepStrictEqual([outcomes, warnings], [["thinker"], []])
      }
      assert.deepStrictEqual((yield* taught(beside, { chosenModelId: "thinker", chosenEffort: "low" })).outcomes, [low])
      const baseline = { ...candidates("thinker", "cheap"), baselineModelId: "thinker#high" }
      const { outcomes } = yield* taught(baseline, { chosenModelId: "thinker", chosenEffort: "high" })
      assert.deepStrictEqual(outcomes, ["thinker"])
    }))

  it.effect("the baseline's variant where no candidate is of its model", () =>
    Effect.gen(function*() {
      const ask = { ...candidates("cheap"), baselineModelId: "thinker#high" }
      assert.deepStrictEqual((yield* taught(ask, { chosenModelId: "thinker" })).outcomes, [high])
      assert.deepStrictEqual((yield* taught(ask, { chosenModelId: "thinker", chosenEffort: "low" })).outcomes, [low])
    }))

  it.effect("in shadow the variant of the baseline, which is the caller's own default", () =>
    Effect.gen(function*() {
      const shadow = { ...variants, shadow: true, baselineModelId: "thinker#high" }
      assert.deepStrictEqual((yield* taught(shadow, { chosenModelId: null })).outcomes, [high])
      assert.deepStrictEqual((yield* taught(shadow, { chosenModelId: "thinker" })).outcomes, [high])
    }))

  it.effect("the model, as ever, where no candidate has a level, whatever effort it names", () =>
    Effect.gen(function*() {
      const { outcomes, warnings } = yield* taught(
        candidates("thinker", "dear"),
        { chosenModelId: "thinker", chosenEffort: "low" },
        { chosenModelId: "thinker", chosenEffort: "low" },
        { chosenModelId: "thinker", chosenEffort: "high" }
      )
      assert.deepStrictEqual(outcomes, ["thinker"])
      // The key is of the model alone, so that another effort is another report under the same key.
      assert.deepStrictEqual(warnings, ["idempotency_key_reused"])
    }))
})
