import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { join } from "node:path"
import { dataDirectory, temporaryDirectory } from "../support/Databases.ts"
import { sendRequest, sextant, startService, stopService } from "../support/Service.ts"

type Json = Record<string, any>

const task = { task: "Fix the failing unit test", task_type: "code", difficulty: "medium" }
const constraints = { candidate_models: ["gpt-5", "gpt-5-mini"] }

it.live("quota that is paid is set over HTTP, decides until used up, and goes with its account", () =>
  Effect.gen(function*() {
    const environment = { SEXTANT_DATA_DIR: yield* dataDirectory }
    const service = yield* startService(environment)
    const admin = (yield* sextant(["keys", "create", "--instance", "acme", "--role", "admin"], environment)).stdout.trim()
    const put = (model: object) => Effect.promise(async () => {
      const response = await fetch(`${service.baseUrl}/v1/account/models`, {
        method: "PUT", headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
        body: JSON.stringify({ models: [{ model_id: "gpt-5", ...model }] })
      })
      return { status: response.status, body: await response.json() as Json }
    })
    const send = (path: string, body?: object) =>
      Effect.map(sendRequest(service, path, body), ({ text }) => JSON.parse(text) as Json)
    const recommend = send("/v1/recommend", { task, constraints, allow_llm_escalation: false, cost_quality_tradeoff: 2 })
    const report = (asked: Json) =>
      send("/v1/feedback", {
        recommendation_id: asked["recommendation_id"], chosen_model_id: "gpt-5", outcome: "success",
        evidence_source: "gate", input_tokens: 700, output_tokens: 300
      })
    const left = Effect.map(send("/v1/account/models"), ({ resolved_models: [first] }) => first.prepaid_tokens_left as number)

    for (const [model, status, field] of [
      [{ prepaid_tokens: 0 }, 400, "models.0.prepaid_tokens"],
      [{ prepaid_tokens: 1.5 }, 400, "models.0.prepaid_tokens"],
      [{ prepaid_tokens: 1e12 + 1 }, 400, "models.0.prepaid_tokens"],
      [{ prepaid_tokens: 10, prepaid_until: "2026-02-30" }, 400, "models.0.prepaid_until"],
      [{ prepaid_until: "2999-12-31" }, 422, "models.0.prepaid_until"]
    ] as const) {
      const refused = yield* put(model)
      assert.strictEqual(refused.status, status)
      assert.include(refused.body["detail"], field)
    }
    const without = yield* recommend
    assert.deepInclude(without["recommended_model"], { model_id: "gpt-5-mini", marginal_cost_usd: null })
    const most = yield* put({ prepaid_tokens: 1e12 })
    assert.strictEqual(most.body["resolved_models"][0].prepaid_tokens_left, 1e12)
    const set = yield* put({ prepaid_tokens: 1_500, prepaid_until: "2999-12-31" })
    assert.strictEqual(set.body["resolved_models"][0].prepaid_tokens_left, 1_500)
    const first = yield* recommend
    assert.deepInclude(first["recommended_model"], { model_id: "gpt-5", marginal_cost_usd: 0 })
    assert.isAbove(first["recommended_model"].est_cost_usd, 0)
    yield* report(first)
    yield* report(first)
    const within = { schedule: Schedule.spaced("100 millis") }
    yield* Effect.repeat(left, { ...within, until: (tokens) => tokens === 500 }).pipe(Effect.timeout("20 seconds"))
    const { summary } = yield* send("/v1/savings")
    assert.isAbove(summary.estimated.cost_recommended_usd, 0)

    const file = join(yield* temporaryDirectory, "acme.jsonl")
    assert.strictEqual((yield* sextant(["account", "export", "--instance", "acme", file], environment)).code, 0)
    const imported = yield* sextant(["account", "import", file, "--instance", "copied"], environment)
    assert.strictEqual(imported.code, 0, imported.stderr)
    const shown = yield* sextant(["account", "models", "show", "--instance", "copied"], environment)
    assert.strictEqual(JSON.parse(shown.stdout).resolved_models[0].prepaid_tokens_left, 500)

    yield* report(yield* recommend)
    const next = yield* Effect.repeat(recommend, {
      ...within, until: ({ recommended_model }) => recommended_model.marginal_cost_usd === null
    }).pipe(Effect.timeout("20 seconds"))
    assert.strictEqual(next["recommended_model"].model_id, "gpt-5-mini")
    assert.strictEqual(yield* left, 0)
    yield* put({ prepaid_tokens: null })
    assert.isNull(yield* left)
    assert.strictEqual((yield* sextant(["account", "erase", "--instance", "copied", "--yes"], environment)).code, 0)
    assert.strictEqual(yield* stopService(service), 0)
  }), 240_000)
