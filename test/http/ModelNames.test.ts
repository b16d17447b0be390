import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundledRows } from "../../src/catalog/file/CatalogFile.ts"
import { snapshot } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"
import { undated } from "../support/undatedCatalog.ts"
import { engineService, feedback, key, recommend } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const { cards } = await Effect.runPromise(bundledRows.pipe(Effect.provide(NodeServices.layer)))

/** The service over the bundled catalog, whose prices stay fresh and whose models stay. */
const service = engineService({ catalog: catalogOf(undated(snapshot(cards))) })

/** Seven ids as they stand in configurations of today, and the models that they name. */
const seven = {
  "claude-sonnet-4-5-20250929": "claude-sonnet-4-5",
  "gpt-5-mini-2025-08-07": "gpt-5-mini",
  "us.anthropic.claude-haiku-4-5-20251001-v1:0": "claude-haiku-4-5",
  "vertex_ai/gemini-2.5-pro": "gemini-2.5-pro",
  "azure/gpt-4o": "gpt-4o",
  "models/gemini-2.5-flash": "gemini-2.5-flash",
  "openrouter/anthropic/claude-opus-4.5:beta": "claude-opus-4-5"
} as const

interface Ranked {
  readonly model_id: string
  readonly requested_model_id: string | null
}
const rankedOf = (body: Readonly<Record<string, unknown>>) => body["ranked"] as ReadonlyArray<Ranked>

describe("An id of a model over HTTP", () => {
  it.live("names its candidate as any provider spells it, and is answered beside ours", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({ constraints: { candidate_models: Object.keys(seven) } })
      const answered = rankedOf(body).map((each) => [each.requested_model_id, each.model_id])
      assert.deepStrictEqual(Object.fromEntries(answered), seven)
      assert.deepStrictEqual(body["warnings"], ["cold_start"])
      for (const field of ["recommended_model", "fallback_model"]) {
        const model = body[field] as Ranked | null
        if (model !== null) assert.strictEqual(seven[model.requested_model_id as keyof typeof seven], model.model_id)
      }
    }).pipe(Effect.provide(service)), 60_000)

  it.live("names one candidate with two spellings, the first of which is kept, and none left out", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({
        constraints: { candidate_models: ["openai/gpt-4o", "azure/gpt-4o", "gpt-4o", "gpt-5"] }
      })
      assert.deepStrictEqual(
        rankedOf(body).map((each) => [each.requested_model_id, each.model_id]).sort(),
        [["gpt-5", "gpt-5"], ["openai/gpt-4o", "gpt-4o"]]
      )
      const all = yield* recommend({ incumbent_model_id: "azure/gpt-4o-2024-08-06", max_candidates: 64 })
      const named = rankedOf(all.body).filter((each) => each.requested_model_id !== null)
      assert.deepStrictEqual(named.map((each) => [each.requested_model_id, each.model_id]), [["azure/gpt-4o-2024-08-06", "gpt-4o"]])
    }).pipe(Effect.provide(service)), 60_000)

  it.live("excludes its model in any spelling, and nothing where the prefix names another maker", () =>
    Effect.gen(function*() {
      const only = (excluded_models: ReadonlyArray<string>) =>
        Effect.map(
          recommend({ constraints: { candidate_models: ["gpt-4o", "gpt-5.4"], excluded_models } }),
          ({ body }) => [rankedOf(body).map((each) => each.model_id).sort(), body["warnings"]]
        )
      assert.deepStrictEqual(yield* only(["azure/gpt-4o-2024-08-06"]), [["gpt-5.4"], ["cold_start"]])
      assert.deepStrictEqual(yield* only(["anthropic/gpt-4o"]), [["gpt-4o", "gpt-5.4"], ["unknown_models:1", "cold_start"]])
    }).pipe(Effect.provide(service)), 60_000)

  it.live("that nothing is known of is said in the 422, with what each constraint removed", () =>
    Effect.gen(function*() {
      const detailOf = (constraints: object) =>
        Effect.map(recommend({ constraints }), ({ body, status }) => `${status} ${String(body["detail"])}`)
      assert.strictEqual(
        yield* detailOf({ candidate_models: ["gpt-4", "azure/gpt-4o"], require_context_window: 900_000 }),
        "422 No models match the supplied constraints; candidate_models removed 130, require_context_window removed 1; "
          + "not in the catalog: gpt-4"
      )
      const hostile = Array.from({ length: 900 }, (_, i) => `\u001b[31m\n${"x".repeat(200)}${i}`)
      const detail = yield* detailOf({ candidate_models: hostile })
      assert.include(detail, "candidate_models removed 131; not in the catalog: ")
      assert.include(detail, ", 895 more")
      assert.isBelow(detail.length, 700)
      assert.notMatch(detail, /[\u0000-\u001f]/)
    }).pipe(Effect.provide(service)), 60_000)

  it.live("is known in the steps of a workflow, and the 422 names the step whose ids are not", () =>
    Effect.gen(function*() {
      const task = { task: "Write a function that sums a list", task_type: "code" }
      const ask = (candidates: ReadonlyArray<string>) =>
        sendRequest("POST", "/v1/recommend/workflow", {
          key,
          json: {
            steps: [{ step_id: "plan", task }, { step_id: "write", task, constraints: { candidate_models: candidates } }],
            constraints: { candidate_models: ["azure/gpt-4o"] }
          }
        })
      const { body } = yield* ask(["vertex_ai/gemini-2.5-pro"])
      const steps = body["steps"] as ReadonlyArray<{ readonly recommendation: { readonly recommended_model: Ranked } }>
      assert.deepStrictEqual(steps.map(({ recommendation: { recommended_model: model } }) => [model.requested_model_id, model.model_id]), [
        ["azure/gpt-4o", "gpt-4o"], ["vertex_ai/gemini-2.5-pro", "gemini-2.5-pro"]
      ])
      const refused = yield* ask(["gpt-4"])
      assert.deepStrictEqual([refused.status, refused.body["detail"]], [
        422, "No models match the supplied constraints of step \"write\"; candidate_models removed 131; not in the catalog: gpt-4"
      ])
    }).pipe(Effect.provide(service)), 60_000)

  it.live("counts an outcome as its model's, also when the feedback spells it in another way", () =>
    Effect.gen(function*() {
      const asked = recommend({ constraints: { candidate_models: ["openai/gpt-4o"] } })
      const first = (yield* asked).body["recommendation_id"]
      const said = yield* feedback(first, { chosen_model_id: "azure/gpt-4o-2024-08-06" })
      assert.deepStrictEqual(said.body["warnings"], [])
      const again = yield* feedback(first, { chosen_model_id: "gpt-4o" })
      assert.strictEqual(again.body["record_id"], said.body["record_id"])
      const { body } = yield* asked
      assert.deepInclude(body["recommended_model"], { model_id: "gpt-4o", decision_basis: "memory" })
    }).pipe(Effect.provide(service)), 60_000)
})

describe("An offering over HTTP", () => {
  it.live("has the price and the regions of its id, behind a gateway's prefix too (case 03)", () =>
    Effect.gen(function*() {
      const ask = (constraints: object) =>
        recommend({
          // The case asks with ten times the input, which since has the price of a long one.
          task: { task: "Sort", expected_input_tokens: 100_000, expected_output_tokens: 0 },
          constraints: { candidate_models: ["bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0"], ...constraints }
        })
      for (const constraints of [{}, { data_regions: ["eu"] }]) {
        const { body, status } = yield* ask(constraints)
        assert.strictEqual(status, 200)
        assert.deepInclude(body["recommended_model"], { est_cost_breakdown: { input: 0.33, output: 0 } })
      }
    }).pipe(Effect.provide(service)), 60_000)
})

describe("A call that not every candidate can take", () => {
  const ranked = (over: object) =>
    Effect.map(recommend(over), ({ body }) => rankedOf(body).map((each) => each.model_id))

  it.live("goes to one whose window holds it (case 05)", () =>
    Effect.gen(function*() {
      const sizes = { expected_input_tokens: 250_000, expected_output_tokens: 50 }
      const task = { task: "Extract the invoice number", task_type: "extraction", difficulty: "trivial", ...sizes }
      const constraints = { candidate_models: ["nova-micro-v1", "gpt-5-mini"] }
      assert.deepStrictEqual(yield* ranked({ task, constraints }), ["gpt-5-mini"])
    }).pipe(Effect.provide(service)), 60_000)

  it.live("goes to one that can write its answer, expected or allowed (case 06)", () =>
    Effect.gen(function*() {
      const task = { task: "Reformat this list", difficulty: "trivial", expected_input_tokens: 1_000 }
      const expected = { task: { ...task, expected_output_tokens: 60_000 }, constraints: { candidate_models: ["gpt-4o-mini", "gpt-5-mini"] } }
      assert.deepStrictEqual(yield* ranked(expected), ["gpt-5-mini"])
      const allowed = { task, inferred_requirements: { output_tokens: 32_000 }, constraints: { candidate_models: ["gpt-4o-mini", "gpt-5"] } }
      assert.deepStrictEqual(yield* ranked(allowed), ["gpt-5"])
    }).pipe(Effect.provide(service)), 60_000)

  it.live("is priced and fitted by the length of its text where it says no tokens (case 08)", () =>
    Effect.gen(function*() {
      const task = { task: "Summarise this file. " + "The quick brown fox jumps over the lazy dog. ".repeat(17_777) }
      const { body } = yield* recommend({ task, constraints: { candidate_models: ["gpt-4o", "gpt-4o-mini", "gemini-2.5-flash"] } })
      assert.deepStrictEqual(rankedOf(body).map((each) => each.model_id), ["gemini-2.5-flash"])
      const alone = yield* recommend({ task, constraints: { candidate_models: ["gpt-4o"] } })
      assert.include(alone.body["warnings"] as ReadonlyArray<string>, "no_model_within_capacity")
      const { est_cost_breakdown: { input } } = alone.body["recommended_model"] as { readonly est_cost_breakdown: { readonly input: number } }
      assert.isAtLeast(input, 0.44)
    }).pipe(Effect.provide(service)), 60_000)
})

describe("A call with much input", () => {
  const ask = (constraints: object, input = 250_000) =>
    Effect.map(recommend({
      task: { task: "Summarise this file", task_type: "summarization", expected_input_tokens: input, expected_output_tokens: 1_000 },
      cost_quality_tradeoff: 3,
      constraints
    }), ({ body }) => body)
  const costOf = (body: Readonly<Record<string, unknown>>) =>
    (body["recommended_model"] as { readonly est_cost_usd: number }).est_cost_usd
  const gemini = { candidate_models: ["gemini-2.5-pro"] }

  it.live("is estimated, limited and billed at the prices of its size (case 04)", () =>
    Effect.gen(function*() {
      assert.strictEqual(costOf(yield* ask(gemini)), 0.64)
      assert.strictEqual(costOf(yield* ask(gemini, 200_000)), 0.26)
      const both = yield* ask({ candidate_models: ["gemini-2.5-pro", "gemini-3.5-flash"] })
      assert.strictEqual((both["recommended_model"] as Ranked).model_id, "gemini-3.5-flash")
      const limited = yield* ask({ ...gemini, max_cost_per_call: 0.4 })
      assert.include(limited["warnings"] as ReadonlyArray<string>, "no_model_within_cost_budget")
    }).pipe(Effect.provide(service)), 60_000)
})
