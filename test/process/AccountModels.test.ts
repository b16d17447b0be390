import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Json } from "../support/burst.ts"
import { dataDirectory, runningDirectory, temporaryDirectory } from "../support/Databases.ts"
import { sendRequest, type Service, sextant, startService, stopService, umbrellaKey } from "../support/Service.ts"

const path = "/v1/account/models"

const put = ({ baseUrl, key }: Pick<Service, "baseUrl" | "key">, body: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: "PUT", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const text = await response.text()
    return { status: response.status, text, body: JSON.parse(text) as Json }
  })

const get = (service: Pick<Service, "baseUrl" | "key">, of: string) =>
  Effect.map(sendRequest(service, of), ({ text }) => JSON.parse(text) as Json)

const recommend = (service: Pick<Service, "baseUrl" | "key">, more: object = {}) =>
  Effect.map(
    sendRequest(service, "/v1/recommend", {
      task: { task: "Fix the failing unit test", task_type: "code", difficulty: "medium" }, ...more
    }),
    ({ text }) => JSON.parse(text) as Json
  )

const idsOf = (answer: Json): ReadonlyArray<string> => answer["ranked"].map((each: Json) => each["model_id"])
const predictionOf = (answer: Json, id: string): number =>
  answer["ranked"].find((each: Json) => each["model_id"] === id)["predicted_success"]

const document = {
  default_candidates: ["llama-on-prem", "support-ft", "gpt-5-mini", "claude-sonnet-4-5"],
  models: [
    {
      model_id: "llama-on-prem", provider: "on-prem", input_cost_per_mtok: 0, output_cost_per_mtok: 0,
      context_window: 131_072, capability: 0.99, aliases: ["llama"]
    },
    { model_id: "support-ft", base_model: "gpt-5-mini", input_cost_per_mtok: 0.5, output_cost_per_mtok: 4 }
  ]
}
const own = ["llama-on-prem", "support-ft"]

const fail = (service: Service, modelId: string) =>
  Effect.gen(function*() {
    const { recommendation_id } = yield* recommend(service, { namespace: "learning" })
    return yield* Effect.map(sendRequest(service, "/v1/feedback", {
      recommendation_id, chosen_model_id: modelId, outcome: "failure", evidence_source: "gate", actual_cost_usd: 0
    }), ({ text }) => JSON.parse(text) as Json)
  })

describe("an account's own models", () => {
  it.live("are its candidates, learn, survive a restart, and exist for no other account", () =>
    Effect.gen(function*() {
      const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
      const first = yield* startService(environment)
      const admin = { ...first, key: (yield* sextant(["keys", "create", "--instance", "acme", "--role", "admin"], environment)).stdout.trim() }
      const umbrella = { ...first, key: umbrellaKey }
      const before = yield* get(umbrella, "/v1/models")

      const refused = yield* put(first, document)
      assert.strictEqual(refused.status, 403, refused.text)
      const wrong = yield* put(admin, { ...document, default_candidates: ["gpt-5", "nobody"] })
      assert.deepStrictEqual([wrong.status, wrong.body["title"]], [422, "Unusable models"])
      assert.include(wrong.body["detail"], "default_candidates.1: no model is known as nobody")
      const negative = yield* put(admin, { models: [{ ...document.models[0], input_cost_per_mtok: -1 }] })
      assert.strictEqual(negative.status, 400)
      assert.include(negative.body["detail"], "models.0.input_cost_per_mtok")

      const set = yield* put(admin, document)
      assert.strictEqual(set.status, 200, set.text)
      const [onPrem, tuned] = set.body["resolved_models"].map(({ model }: Json) => model)
      assert.deepInclude(onPrem, { capability_source: "declared", input_cost_per_mtok: 0, cost_source: "account" })
      assert.deepInclude(tuned, { capability_source: "base_model", provider: "openai", context_window: 400_000 })

      const again = yield* put(admin, { ...set.body, candidates: ["x"], models: [
        { ...document.models[0], input_price: 0 }, document.models[1]
      ] })
      assert.deepStrictEqual([set.body["warnings"], again.body["warnings"]], [[], [
        "unknown_field:models.0.input_price", "unknown_field:candidates"
      ]])

      // The caller sees its models at once, and nobody else does.
      const asked = yield* recommend(first)
      assert.sameMembers([...idsOf(asked)], document.default_candidates)
      assert.deepStrictEqual(asked["warnings"].filter((each: string) => each.includes("models")), [])
      assert.sameMembers([...idsOf(yield* recommend(first, { constraints: { excluded_models: ["llama"] } }))],
        document.default_candidates.slice(1))
      assert.deepStrictEqual(idsOf(yield* recommend(first, { constraints: { candidate_models: ["gpt-5"] } })), ["gpt-5"])
      assert.includeMembers((yield* get(first, "/v1/models"))["models"].map((each: Json) => each["model_id"]), own)
      assert.deepStrictEqual(yield* get(umbrella, "/v1/models"), before)
      assert.notIncludeMembers([...idsOf(yield* recommend(umbrella))], own)
      const foreign = yield* sendRequest(umbrella, "/v1/recommend", { task: { task: "x" }, constraints: { candidate_models: own } })
      assert.strictEqual(foreign.status, 422)
      assert.deepInclude(yield* get(umbrella, path), { default_candidates: null, models: [], updated_at: null })

      // The model is free and declared as nearly perfect, so it is the favourite until it fails.
      const cold = yield* recommend(first, { namespace: "learning" })
      assert.strictEqual(cold["recommended_model"]["model_id"], "llama-on-prem")
      for (let i = 0; i < 12; i++) assert.isTrue((yield* fail(first, i % 2 === 0 ? "llama" : "llama-on-prem"))["accepted"])
      const taught = yield* recommend(first, { namespace: "learning" })
      assert.isBelow(predictionOf(taught, "llama-on-prem"), 0.5)
      assert.notStrictEqual(taught["recommended_model"]["model_id"], "llama-on-prem")
      const { summary } = yield* get(first, "/v1/savings?namespace=learning")
      assert.strictEqual(summary["realized"]["n_reconciled"], 12)
      assert.strictEqual(yield* stopService(first), 0)

      const second = yield* startService(environment)
      assert.sameMembers([...idsOf(yield* recommend(second))], document.default_candidates)
      assert.isBelow(predictionOf(yield* recommend(second, { namespace: "learning" }), "llama-on-prem"), 0.5)
      const cleared = yield* put({ ...second, key: admin.key }, {})
      assert.deepInclude(cleared.body, { default_candidates: null, models: [], updated_at: null })
      assert.notIncludeMembers([...idsOf(yield* recommend(second))], own)
      assert.strictEqual(yield* stopService(second), 0)
    }), 480_000)

  it.live("are set, shown and cleared by a command, and go with an export, an import and an erasure", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const environment = { SEXTANT_DATA_DIR: yield* runningDirectory }
      const run = (...args: ReadonlyArray<string>) => sextant(["account", ...args], environment)
      const file = (name: string, content: unknown) => {
        const at = join(directory, name)
        writeFileSync(at, typeof content === "string" ? content : JSON.stringify(content))
        return at
      }
      const shown = (instance: string) =>
        Effect.map(run("models", "show", "--instance", instance), ({ stdout }) => JSON.parse(stdout) as Json)

      for (const [content, problem] of [
        ["{", "cannot be used, and nothing was set"],
        [{ models: [{ model_id: "x", capability: 2 }] }, "models.0.capability"],
        [{ default_candidates: ["nobody"] }, "default_candidates.0: no model is known as nobody"],
        [{ default_candidate: ["gpt-5"] }, "default_candidate: Unknown field, did you mean default_candidates?"]
      ] as const) {
        const { code, stderr } = yield* run("models", "set", "--instance", "acme", file("wrong.json", content))
        assert.notStrictEqual(code, 0)
        assert.include(stderr, problem)
      }
      const set = yield* run("models", "set", "--instance", "acme", file("models.json", { ...document, candidates: [] }))
      assert.strictEqual(set.code, 0, set.stderr)
      assert.include(set.stderr, "no document has the field candidates")
      assert.include(set.stdout, "acme has 2 declared models and 4 default candidates")
      const first = yield* shown("acme")
      assert.deepStrictEqual(first["default_candidates"], document.default_candidates)
      const [onPrem, tuned] = document.models
      const moved = { ...document, models: [onPrem, { ...tuned, base_model: "gpt-5" }] }
      const again = yield* run("models", "set", "--instance", "acme", file("moved.json", moved))
      assert.include(again.stdout, "support-ft begins anew, by another base_model")
      const { restarts } = yield* shown("acme")
      assert.deepInclude(restarts[0], { model_id: "support-ft", changed: ["base_model"] })

      const exported = join(directory, "acme.jsonl")
      assert.strictEqual((yield* run("export", "--instance", "acme", exported)).code, 0)
      const imported = yield* run("import", exported, "--instance", "umbrella")
      assert.strictEqual(imported.code, 0, imported.stderr)
      const carried = yield* shown("umbrella")
      assert.deepStrictEqual([carried["resolved_models"][0], carried["restarts"]], [first["resolved_models"][0], restarts])
      const erased = yield* run("erase", "--instance", "acme", "--yes")
      assert.match(erased.stdout, /^account_models\t1 rows$/m)
      assert.deepInclude(yield* shown("acme"), { default_candidates: null, models: [] })
      assert.include((yield* run("models", "clear", "--instance", "umbrella")).stdout, "umbrella has no models")
      assert.deepInclude(yield* shown("umbrella"), { default_candidates: null, models: [] })
    }), 480_000)
})
