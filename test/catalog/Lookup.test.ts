import { assert, it } from "@effect/vitest"
import { findModel, listModels, type ModelsFilter } from "../../src/catalog/Lookup.ts"
import { snapshotAt } from "../../src/catalog/Snapshot.ts"
import { bundledAtMs, card, rows } from "./fixtures.ts"

const snapshot = snapshotAt(
  rows(
    card("gpt-5", { aliases: ["openai/gpt-5", "mini"], provider: "OpenAI", inputCostPerMtok: 2 }),
    card("gpt-5.1", { inputCostPerMtok: 3, outputCostPerMtok: 9, capabilityByTaskType: {} }),
    card("mini", { costFetchedAt: "2020-01-01T00:00:00.000Z", inputCostPerMtok: 1 })
  ),
  bundledAtMs
)
const ids = (query: Partial<ModelsFilter>) =>
  listModels(snapshot, { include_stale: true, ...query }).map((model) => model.modelId)

it("a model is found by its exact id or alias, and an id beats an alias", () => {
  assert.strictEqual(findModel(snapshot, "gpt-5")?.modelId, "gpt-5")
  assert.strictEqual(findModel(snapshot, "openai/gpt-5")?.modelId, "gpt-5")
  assert.strictEqual(findModel(snapshot, "mini")?.modelId, "mini")
})

it("no name is found by prefix, case, version or prototype", () => {
  for (const name of ["gpt", "gpt-5.", "GPT-5", "gpt-5.10", "", "__proto__", "constructor", "toString"]) {
    assert.isUndefined(findModel(snapshot, name), name)
  }
})

it("without filters every model is listed, by input price", () => {
  assert.deepStrictEqual(ids({}), ["mini", "gpt-5", "gpt-5.1"])
})

it("the provider filter ignores case, and the task type filter wants a prior", () => {
  assert.deepStrictEqual(ids({ provider: "OPENAI" }), ["gpt-5"])
  assert.deepStrictEqual(ids({ provider: "acme", task_type: "code" }), ["mini"])
  assert.deepStrictEqual(ids({ task_type: "rag" }), [])
})

it("max_cost bounds the dearer of input and output price, inclusively", () => {
  assert.deepStrictEqual(ids({ max_cost: 4 }), ["mini", "gpt-5"])
  assert.deepStrictEqual(ids({ max_cost: 3.99 }), [])
})

it("include_stale false prefers fresh prices, and falls back to stale ones", () => {
  assert.deepStrictEqual(ids({ include_stale: false }), ["gpt-5", "gpt-5.1"])
  assert.deepStrictEqual(ids({ include_stale: true }), ["mini", "gpt-5", "gpt-5.1"])
  const old = snapshotAt(rows(card("a")), bundledAtMs + 1e12)
  assert.lengthOf(listModels(old, { include_stale: false }), 1)
})
