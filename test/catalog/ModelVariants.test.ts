import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { accountCatalog, described, problemsOf } from "../../src/catalog/AccountCatalog.ts"
import { variantsOf, standardLevels } from "../../src/catalog/ModelVariants.ts"
import { findListed, findModel } from "../../src/catalog/Lookup.ts"
import { AccountModels } from "../../src/domain/account/AccountModels.ts"
import { variantIdOf } from "../../src/domain/model/ModelVariant.ts"
import { verbosityOf } from "../../src/domain/model/Model.ts"
import { card, measuredCard, snapshot } from "../support/builders.ts"

const plain = measuredCard("gpt-5", 0.8, 1.25)
const gpt5 = { ...plain, aliases: ["openai/gpt-5"], effortLevels: standardLevels }
const other = measuredCard("gpt-4o", 0.7, 2.5)
const shared = snapshot([gpt5, other])

const document = (given: object): AccountModels => Schema.decodeUnknownSync(AccountModels)(given)
const armed = (levels: ReadonlyArray<object>, over: object = {}) =>
  document({ models: [{ model_id: "gpt-5", effort_levels: levels, ...over }] })
const kept = (effort: string, modelId = "gpt-5") => variantIdOf({ modelId, effort })
const variant = (effort: string, catalog = shared) => findModel(catalog, `gpt-5#${effort}`) ?? assert.fail(effort)

describe("A model at a level of effort", () => {
  it("is found by its model's names, the level in any case, and by the id under which it is kept", () => {
    for (const id of ["gpt-5#low", "gpt-5#LOW", "openai/gpt-5#low", "azure/gpt-5-2025-08-07#low", kept("low")]) {
      assert.strictEqual(findModel(shared, id)?.modelId, kept("low"), id)
    }
    assert.strictEqual(findModel(shared, "gpt-5")?.modelId, "gpt-5")
  })

  it("is unknown where the model is, where it has no such level, and where it has none", () => {
    for (const id of ["gpt-6#low", "gpt-5#lowest", "gpt-4o#low", "gpt-5#", "#low", "gpt-5#low#low", "gpt-5# low"]) {
      assert.isUndefined(findModel(shared, id), id)
    }
  })

  it("is no entry of the list, and so no base of a declared model", () => {
    assert.isUndefined(findListed(shared, "gpt-5#low"))
    const [problem] = problemsOf(shared, document({ models: [{ model_id: "mine", base_model: "gpt-5#low" }] }))
    assert.match(problem ?? "", /^models\.0\.base_model: the catalog has no model/)
  })

  it("is one object as long as its model's card is, which its readers key what they know by", () => {
    assert.strictEqual(variant("low"), variant("low"))
  })

  it("gives way to a model that is named so by itself", () => {
    const catalog = snapshot([gpt5, card("gpt-5#low")])
    assert.strictEqual(findModel(catalog, "gpt-5#low")?.modelId, "gpt-5#low")
    assert.strictEqual(findModel(catalog, kept("low"))?.modelId, kept("low"))
  })
})

describe("The priors of a variant", () => {
  const order = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

  it("rise with the effort, and are the model's own at medium", () => {
    const overall = order.map((effort) => variant(effort).capabilityPriors?.["overall"] ?? 0)
    assert.deepStrictEqual(overall.toSorted((a, b) => a - b), overall)
    const rounded = (priors: Readonly<Record<string, number>>) =>
      Object.fromEntries(Object.entries(priors).map(([type, prior]) => [type, prior.toFixed(9)]))
    assert.deepStrictEqual(rounded(variant("medium").capabilityByTaskType), rounded(gpt5.capabilityByTaskType))
  })

  it("move by the offset of the effort times the slope of the task type, in logits", () => {
    const logit = (p: number) => Math.log(p / (1 - p))
    const codeOf = ({ capabilityByTaskType }: typeof plain) => logit(capabilityByTaskType["code"] ?? assert.fail("code"))
    const moved = codeOf(variant("high")) - codeOf(gpt5)
    assert.closeTo(moved, 0.921 * 0.187, 1e-9)
  })

  it("are no benchmark's, and are those of a model without outside facts where it has none", () => {
    assert.strictEqual(variant("medium").capabilitySource, "effort")
    const bare = { ...card("bare"), effortLevels: standardLevels }
    const ofBare = variantsOf({ ...bare, capabilityByTaskType: {}, capabilitySource: "none", capabilityPriors: null }).get("high")
    assert.deepInclude(ofBare, { capabilitySource: "none", capabilityByTaskType: {} })
  })

  it("are those that an account declares, within its bounds, at the prices that it declares", () => {
    const catalog = accountCatalog(shared, armed([
      { effort: "low", capability: 0.99, capability_by_task_type: { code: 0.6 }, verbosity: 0.4, output_cost_per_mtok: 7 },
      { effort: "ultra" }
    ]))
    const low = variant("low", catalog)
    assert.deepInclude(low, { capabilitySource: "declared", outputCostPerMtok: 7 })
    assert.strictEqual(verbosityOf(low), 0.4)
    assert.deepInclude(low.capabilityByTaskType, { code: 0.6, qa: 0.95 })
    // A level of a name that says nothing is as its model.
    const ultra = variant("ultra", catalog)
    assert.deepInclude(ultra, { outputCostPerMtok: gpt5.outputCostPerMtok })
    assert.deepStrictEqual([ultra, gpt5].map(verbosityOf), [1, 1])
    assert.isUndefined(findModel(catalog, "gpt-5#high"))
  })
})

describe("An account that declares levels", () => {
  it("chooses among them in place of their model, where a request names no candidates", () => {
    const catalog = accountCatalog(shared, armed([{ effort: "low" }, { effort: "high" }]))
    assert.deepStrictEqual(catalog.open?.map(({ modelId }) => modelId), [kept("high"), kept("low"), "gpt-4o"])
    assert.deepStrictEqual(catalog.models.map(({ modelId }) => modelId), ["gpt-5", "gpt-4o"])
    assert.isUndefined(accountCatalog(shared, armed([])).open)
  })

  it("has its own models' variants and declared levels of others among its own models", () => {
    const own = document({
      models: [{
        model_id: "mine", base_model: "gpt-5", effort_levels: [{ effort: "low" }]
      }]
    })
    assert.deepStrictEqual([...accountCatalog(shared, own).ownModelIds ?? []], ["mine", kept("low", "mine")])
    const ofCatalog = accountCatalog(shared, armed([{ effort: "low" }]))
    assert.deepStrictEqual([...ofCatalog.ownModelIds ?? []], [kept("low")])
    assert.deepStrictEqual([...accountCatalog(shared, armed([])).ownModelIds ?? []], [])
  })

  it("inherits the levels of a base with what still holds of them", () => {
    const levels = (model: object) =>
      findModel(accountCatalog(shared, document({ models: [model] })), "mine")?.effortLevels
    assert.deepStrictEqual(levels({ model_id: "mine", base_model: "gpt-5" }), gpt5.effortLevels)
  })

  it("reads a default candidate with its level, beside the model", () => {
    const own = document({ default_candidates: ["openai/gpt-5#low", "gpt-4o"], models: [] })
    assert.deepStrictEqual(problemsOf(shared, own), [])
    assert.deepStrictEqual(described(shared, own).resolvedCandidates, [
      { requestedModelId: "openai/gpt-5#low", modelId: "gpt-5", effort: "low" },
      { requestedModelId: "gpt-4o", modelId: "gpt-4o", effort: null }
    ])
  })

  it("has another version of the catalog when a level changes", () => {
    const versions = [[], [{ effort: "low" }], [{ effort: "low", verbosity: 3 }]].map((levels) =>
      accountCatalog(shared, armed(levels)).version)
    assert.strictEqual(new Set(versions).size, 3)
  })

  it("is refused ids that a variant's would be mistaken for, or be longer than", () => {
    const refused = (model: object) => problemsOf(shared, document({
      models: [{ provider: "us", input_cost_per_mtok: 1, output_cost_per_mtok: 1, context_window: 9, ...model }]
    }))
    assert.match(refused({ model_id: kept("low") })[0] ?? "", /^models\.0\.model_id: gpt-5#low is how an effort/)
    assert.match(
      refused({ model_id: "mine", aliases: [kept("low")] })[0] ?? "", /^models\.0\.model_id: gpt-5#low is how/
    )
    assert.match(
      refused({ model_id: "m".repeat(250), effort_levels: [{ effort: "low" }] })[0] ?? "", /^models\.0\.effort_levels: low/
    )
    assert.deepStrictEqual(refused({ model_id: "gpt-5#low" }), [])
  })
})

describe("A document", () => {
  it("is refused for a level that is no word, named twice, one too many, or out of bounds", () => {
    const decode = Schema.decodeUnknownExit(AccountModels)
    const levels = [
      [{ effort: "LOW" }], [{ effort: "low#high" }], [{ effort: "" }], [{ effort: "x".repeat(256) }], [{}],
      [{ effort: "lo\u0000w" }], [{ effort: "größe" }], [{ effort: "low" }, { effort: "low" }],
      Array.from({ length: 9 }, (_, i) => ({ effort: `l${i}` })), [{ effort: "low", verbosity: 0 }],
      [{ effort: "low", capability: 1.5 }], [{ effort: "low", output_cost_per_mtok: -1 }]
    ]
    for (const effort_levels of levels) {
      assert.strictEqual(decode({ models: [{ model_id: "gpt-5", effort_levels }] })._tag, "Failure", JSON.stringify(effort_levels))
    }
  })
})
