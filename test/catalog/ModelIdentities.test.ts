import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { identitiesAfter } from "../../src/catalog/ModelIdentities.ts"
import { AccountModels } from "../../src/domain/account/AccountModels.ts"
import { type ModelIdentity, restartedOf, restartOf, restartsOf } from "../../src/domain/model/ModelIdentity.ts"
import { measuredCard, snapshot } from "../support/builders.ts"

const shared = snapshot([
  { ...measuredCard("gpt-5-mini", 0.7, 0.25), provider: "openai", aliases: ["openai/gpt-5-mini"] },
  { ...measuredCard("gpt-5", 0.8, 1.25), provider: "openai" },
  { ...measuredCard("llama-4", 0.6, 0.2), provider: "meta" }
])

const decode = Schema.decodeUnknownSync(AccountModels)
type Model = Record<string, unknown>

/** The identities after documents that each declare these models, one a day. */
const after = (...documents: ReadonlyArray<ReadonlyArray<Model>>): ReadonlyArray<ModelIdentity> => {
  let before: Parameters<typeof identitiesAfter>[1] = { document: decode({}), identities: [] }
  documents.forEach((models, day) => {
    const document = decode({ models })
    before = { document, identities: identitiesAfter(shared, before, document, `2027-01-0${day + 1}T00:00:00.000Z`) }
  })
  return before.identities
}

const restarts = (...documents: ReadonlyArray<ReadonlyArray<Model>>) =>
  restartedOf(after(...documents)).map(({ changed, modelId, since }) => [modelId, changed.join(), since.slice(8, 10)])

const house = { model_id: "house", base_model: "gpt-5-mini", provider: "on-prem" }

describe("a model of an account", () => {
  it("begins anew on the day on which its base, provider or version becomes another one", () => {
    assert.deepStrictEqual(restarts([house], [{ ...house, base_model: "llama-4" }]), [["house", "base_model", "02"]])
    assert.deepStrictEqual(restarts([house], [house], [{ ...house, provider: "azure" }]), [["house", "provider", "03"]])
    assert.deepStrictEqual(restarts([house], [{ ...house, version: "2" }], [{ ...house, version: "2" }]), [
      ["house", "version", "02"]
    ])
    assert.deepStrictEqual(restarts([house], [{ model_id: "house", base_model: "llama-4" }]), [
      ["house", "base_model,provider", "02"]
    ])
  })

  it("goes on where prices, priors, levels, sizes, other names or spellings alone change", () => {
    assert.deepStrictEqual(after([house], [{
      ...house, input_cost_per_mtok: 1, output_cost_per_mtok: 2, capability: 0.9, display_name: "House",
      context_window: 9_000, aliases: ["home"], effort_levels: [{ effort: "low" }]
    }], [{ ...house, base_model: "openai/gpt-5-mini", provider: "On-Prem" }]), [])
  })

  it("goes on where what it leaves out comes to the same as what it names", () => {
    const named = { model_id: "gpt-5-mini-acme", base_model: "gpt-5-mini", provider: "openai" }
    assert.deepStrictEqual(after([named], [{
      model_id: "gpt-5-mini-acme", provider: "openai", input_cost_per_mtok: 1, output_cost_per_mtok: 1
    }]), [])
  })

  it("begins anew when it is what it was before", () => {
    assert.deepStrictEqual(restarts([house], [{ ...house, provider: "azure" }], [house]), [["house", "provider", "03"]])
  })

  it("is known while it is not declared, and goes on or begins anew when it is declared again", () => {
    assert.deepStrictEqual(restarts([house], [], [], [house]), [])
    assert.deepStrictEqual(restarts([house], [], [{ ...house, base_model: "gpt-5" }]), [["house", "base_model", "03"]])
    const left = after([house], [{ ...house, version: "2" }], [])
    assert.deepStrictEqual(restartedOf(left).map(({ since }) => since.slice(8, 10)), ["02"])
  })

  it("of the catalog begins anew where an account overrides it, and when it no longer does", () => {
    const azure = { model_id: "gpt-5", provider: "azure" }
    assert.deepStrictEqual(restarts([{ model_id: "gpt-5", input_cost_per_mtok: 1 }], []), [])
    assert.deepStrictEqual(restarts([azure]), [["gpt-5", "provider", "01"]])
    assert.deepStrictEqual(restarts([azure], []), [["gpt-5", "provider", "02"]])
  })

  it("does not begin anew because the catalog's own rows change", () => {
    const document = decode({ models: [{ model_id: "house", base_model: "gpt-5" }] })
    const moved = snapshot(shared.models.map((card) => ({ ...card, provider: "another" })))
    assert.deepStrictEqual(identitiesAfter(moved, { document, identities: [] }, document, "2027-01-01T00:00:00Z"), [])
  })

  it("never takes what is kept of the declared ones' place, however many names come and go", () => {
    const name = (i: number, version: string) => ({ ...house, model_id: `m${i}`, version })
    const few = Array.from({ length: 30 }, (_, i) => i)
    const documents = Array.from({ length: 9 }, (_, turn) => [
      few.map((i) => name(30 * turn + i, "1")), few.map((i) => name(30 * turn + i, "2"))
    ]).flat()
    const kept = after([house], [{ ...house, version: "2" }], ...documents.map((models) => [
      { ...house, version: "2" }, ...models
    ]))
    assert.lengthOf(kept, 256)
    assert.include(kept.map(({ modelId }) => modelId), "house")
    assert.include(kept.map(({ modelId }) => modelId), "m269")
  })

  it("restarts with its levels of effort, and no other model does", () => {
    const all = restartsOf(after([house], [{ ...house, version: "2" }]))
    const at = Date.parse("2027-01-02T00:00:00.000Z")
    assert.deepStrictEqual(["house", "house#effort=low", "house-2", "gpt-5"].map((id) => restartOf(all, id)), [at, at, 0, 0])
  })
})
