import { assert, describe, it } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { bundledRows } from "../../src/catalog/file/CatalogFile.ts"
import { type DeclaredFacts, factsOver } from "../../src/domain/model/Facts.ts"
import { measuredCard, snapshot } from "../support/builders.ts"
import { catalogOf } from "../support/fakes.ts"
import { undated } from "../support/undatedCatalog.ts"
import { engineService, key, recommend } from "./EngineService.ts"
import { fakeKeys, keyOfRole, sendRequest } from "./FakeService.ts"

const unknown: DeclaredFacts = {
  supportsImages: null, supportsAudio: null, supportsFiles: null, supportsTools: null,
  supportsStructuredOutput: null, supportsReasoning: null, dataRegions: null, retiresOn: null
}
const known = (id: string, facts: Partial<DeclaredFacts>) => ({
  ...measuredCard(id, 0.8, 1), ...factsOver(undefined, { ...unknown, ...facts }, "models.dev")
})

/** Of each need, models that have it, that lack it, and of which nobody knows. */
const cards = [
  known("able", {
    supportsImages: true, supportsAudio: true, supportsTools: true, supportsStructuredOutput: true,
    dataRegions: ["eu"]
  }),
  known("unable", {
    supportsImages: false, supportsAudio: false, supportsTools: false, supportsStructuredOutput: false,
    dataRegions: ["eu", "us"]
  }),
  known("sees", { supportsImages: true }),
  measuredCard("silent", 0.8, 1)
]
const service = engineService({ catalog: catalogOf(snapshot(cards)) })

const idsOf = (body: Readonly<Record<string, unknown>>) =>
  (body["ranked"] as ReadonlyArray<{ readonly model_id: string }>).map(({ model_id }) => model_id).toSorted()

/** The same for an account that may write its models. */
const writable = engineService({ catalog: catalogOf(snapshot(cards)), keys: fakeKeys })
const admin = keyOfRole.admin
const own = (models: ReadonlyArray<object>) =>
  sendRequest("PUT", "/v1/account/models", { key: admin, json: { models } })
const candidates = (constraints: object) =>
  Effect.map(
    sendRequest("POST", "/v1/recommend", { key: admin, json: { task: { task: "Sum a list" }, constraints } }),
    ({ body }) => idsOf(body)
  )

describe("What a caller declares", () => {
  it.live("leaves the models that are known to have it", () =>
    Effect.gen(function*() {
      for (
        const [constraints, ids] of [
          [{ required_modalities: ["image"] }, ["able", "sees"]],
          [{ required_modalities: ["image", "audio"] }, ["able"]],
          [{ require_tools: true }, ["able"]],
          [{ require_structured_output: true }, ["able"]],
          [{ data_regions: ["eu"] }, ["able"]],
          [{ data_regions: ["eu", "us"] }, ["able", "unable"]],
          [{ require_tools: false }, ["able", "sees", "silent", "unable"]]
        ] as const
      ) {
        const { body } = yield* recommend({ constraints })
        assert.deepStrictEqual(idsOf(body), [...ids], JSON.stringify(constraints))
        assert.notInclude(String(body["warnings"]), "capability_unknown")
      }
    }).pipe(Effect.provide(service)), 60_000)

  it.live("is a 422 that counts the models of which nobody knows, where none is left", () =>
    Effect.gen(function*() {
      for (
        const [constraints, removed] of [
          [{ data_regions: ["eu-central-2"] }, "data_regions removed 4 (2 unknown)"],
          [{ required_modalities: ["file"] }, "required_modalities removed 4 (4 unknown)"],
          [
            { require_tools: true, data_regions: ["us"] },
            "require_tools removed 3 (2 unknown), data_regions removed 1"
          ]
        ] as const
      ) {
        const { body, status } = yield* recommend({ constraints })
        assert.strictEqual(status, 422)
        assert.include(String(body["detail"]), removed)
      }
    }).pipe(Effect.provide(service)), 60_000)

  it.live("must be of the known kinds", () =>
    Effect.gen(function*() {
      for (
        const constraints of [
          { required_modalities: ["smell"] }, { required_modalities: [] }, { data_regions: ["EU"] },
          { data_regions: [] }, { require_tools: "yes" }
        ]
      ) {
        const { body, status } = yield* recommend({ constraints })
        assert.strictEqual(status, 400, JSON.stringify(constraints))
        assert.include(String(body["detail"]), String(Object.keys(constraints)[0]))
      }
    }).pipe(Effect.provide(service)), 60_000)

  it.live("is what a step of a workflow overrides", () =>
    Effect.gen(function*() {
      const task = { task: "Sum a list" }
      const { body } = yield* sendRequest("POST", "/v1/recommend/workflow", {
        key,
        json: {
          constraints: { data_regions: ["eu"], require_tools: true },
          steps: [
            { step_id: "a", task },
            { step_id: "b", task, constraints: { require_tools: false, data_regions: ["eu", "us"] } },
            { step_id: "c", task, constraints: { require_tools: false, data_regions: ["eu", "us"] },
              inferred_requirements: { tools: true } }
          ]
        }
      })
      const steps = body["steps"] as ReadonlyArray<{ readonly recommendation: Record<string, unknown> }>
      assert.deepStrictEqual(
        steps.map(({ recommendation }) => idsOf(recommendation)), [["able"], ["able", "unable"], ["able"]]
      )
    }).pipe(Effect.provide(service)), 60_000)
})

describe("What a program infers", () => {
  it.live("removes only models that are known to lack it, and warns of a pick of which nobody knows", () =>
    Effect.gen(function*() {
      for (
        const asked of [{ modalities: ["image"] }, { tools: true }, { structured_output: true }]
      ) {
        const { body } = yield* recommend({ inferred_requirements: asked })
        assert.deepStrictEqual(idsOf(body), ["able", "sees", "silent"])
      }
      const asked = (candidate: string, inferred: object) =>
        recommend({ constraints: { candidate_models: [candidate] }, inferred_requirements: inferred })
      const { body } = yield* asked("silent", { modalities: ["image"] })
      assert.include(body["warnings"], "capability_unknown:silent")
      const { body: known } = yield* asked("sees", { modalities: ["image"] })
      assert.notInclude(String(known["warnings"]), "capability_unknown")
      const refused = yield* asked("unable", { modalities: ["image"], tools: true })
      assert.strictEqual(refused.status, 422)
      assert.include(String(refused.body["detail"]), "inferred_requirements removed 1")
    }).pipe(Effect.provide(service)), 60_000)
})

describe("What an account declares of its models", () => {
  it.live("is shown with its source, over what the catalog knows of the base, and decides", () =>
    Effect.gen(function*() {
      const { body, status } = yield* own([
        { model_id: "mine", provider: "local", input_cost_per_mtok: 0, output_cost_per_mtok: 0, context_window: 8_000,
          supports_images: true, data_regions: ["eu-west-1"], retires_on: "2099-01-31" },
        { model_id: "tuned", base_model: "able", provider: "elsewhere", supports_tools: false }
      ])
      assert.strictEqual(status, 200)
      const resolved = body["resolved_models"] as ReadonlyArray<{ readonly model: Record<string, unknown> }>
      const [mine, tuned] = resolved.map(({ model }) => model["facts"] as Record<string, unknown>)
      const said = (value: unknown, source = "account") => ({ value, source, as_of: null })
      assert.deepStrictEqual(mine, {
        supports_images: said(true), supports_audio: null, supports_files: null, supports_tools: null,
        supports_structured_output: null, supports_reasoning: null, data_regions: said(["eu-west-1"]),
        retires_on: said("2099-01-31")
      })
      assert.deepInclude(tuned, {
        supports_images: said(true, "models.dev"), supports_tools: said(false), data_regions: null
      })
      assert.deepStrictEqual(yield* candidates({ data_regions: ["eu-west-1"] }), ["mine"])
      assert.deepStrictEqual(
        yield* candidates({ required_modalities: ["image"] }),
        ["able", "mine", "sees", "tuned"]
      )
      for (const wrong of [{ retires_on: "soon" }, { data_regions: [""] }, { supports_tools: 1 }]) {
        const refused = yield* own([{ model_id: "tuned", base_model: "able", ...wrong }])
        assert.strictEqual(refused.status, 400)
        assert.include(String(refused.body["detail"]), String(Object.keys(wrong)[0]))
      }
    }).pipe(Effect.provide(writable)), 60_000)
})

const bundled = await Effect.runPromise(bundledRows.pipe(Effect.provide(NodeServices.layer)))
const offered = engineService({ catalog: catalogOf(undated(snapshot(bundled.cards))), keys: fakeKeys })

interface Ranked {
  readonly model_id: string
  readonly requested_model_id: string | null
  readonly provider: string
  readonly est_cost_usd: number
  readonly effort: string | null
}

const asked = (constraints: object, over: object = {}) =>
  Effect.map(
    sendRequest("POST", "/v1/recommend", {
      key: admin,
      json: {
        task: { task: "Sum a list", expected_input_tokens: 1_000, expected_output_tokens: 1_000 }, constraints,
        allow_llm_escalation: false, ...over
      }
    }),
    ({ body, status }) => ({ status, body, ranked: body["ranked"] as ReadonlyArray<Ranked> })
  )

describe("A structured output over the bundled catalog", () => {
  it.live("is asked of the models whose makers document it", () =>
    Effect.gen(function*() {
      const { ranked, status } = yield* asked({ require_structured_output: true }, { max_candidates: 64 })
      assert.strictEqual(status, 200)
      assert.isAbove(ranked.length, 15)
      const able = bundled.cards.filter(({ facts }) => facts?.supportsStructuredOutput?.value === true)
      assert.includeMembers(able.map(({ modelId }) => modelId), ranked.map(({ model_id }) => model_id))
      const refused = yield* asked({ candidate_models: ["gpt-oss-120b"], require_structured_output: true })
      assert.strictEqual(refused.status, 422)
    }).pipe(Effect.provide(offered)), 60_000)
})

describe("Data regions over the bundled catalog", () => {
  it.live("choose among offerings, at their prices and called by their ids, of which the model learns", () =>
    Effect.gen(function*() {
      const home = yield* asked({ candidate_models: ["gpt-5"] })
      const named = yield* asked({ candidate_models: ["azure/eu/gpt-5", "gpt-5"], data_regions: ["eu"] })
      assert.deepStrictEqual(
        named.ranked.map(({ model_id, provider, requested_model_id }) => [model_id, requested_model_id, provider]),
        [["gpt-5", "azure/eu/gpt-5", "azure"]]
      )
      assert.closeTo(named.ranked[0]!.est_cost_usd / home.ranked[0]!.est_cost_usd, 1.1, 1e-6)
      const variant = yield* asked({ candidate_models: ["azure/eu/gpt-5#low"], data_regions: ["eu"] })
      assert.deepInclude(variant.ranked[0], {
        model_id: "gpt-5", effort: "low", requested_model_id: "azure/eu/gpt-5#low", provider: "azure"
      })
      const open = yield* asked({ data_regions: ["eu"] }, { max_candidates: 64 })
      assert.isAbove(open.ranked.length, 15)
      for (const { provider, requested_model_id: id } of open.ranked) {
        assert.match(String(id), provider === "azure" ? /^azure\/eu\// : /^eu\./)
      }
      const bedrock = yield* asked({ data_regions: ["eu"], allowed_providers: ["amazon-bedrock"] })
      assert.isTrue(bedrock.ranked.every(({ provider }) => provider === "amazon-bedrock"))
      const { body } = yield* sendRequest("POST", "/v1/feedback", {
        key: admin,
        json: {
          recommendation_id: named.body["recommendation_id"], chosen_model_id: "azure/eu/gpt-5", outcome: "success",
          input_tokens: 1_000, output_tokens: 1_000
        }
      })
      assert.deepStrictEqual([body["accepted"], body["warnings"]], [true, []])
    }).pipe(Effect.provide(offered)), 60_000)

  it.live("name no model's home for it, and an offering that is named is one without them too", () =>
    Effect.gen(function*() {
      const refused = yield* asked({ candidate_models: ["gpt-5", "azure/us/gpt-5"], data_regions: ["eu"] })
      assert.strictEqual(refused.status, 422)
      assert.include(String(refused.body["detail"]), "data_regions removed 1 (1 unknown)")
      const { ranked } = yield* asked({ candidate_models: ["azure/eu/gpt-5"] })
      assert.deepInclude(ranked[0], { model_id: "gpt-5", requested_model_id: "azure/eu/gpt-5", provider: "azure" })
      // The prompt cache of OpenAI's own is none of Azure's.
      const costOf = (incumbent: string | null) =>
        Effect.map(asked({ candidate_models: ["azure/eu/gpt-5"] }, { incumbent_model_id: incumbent }),
          ({ body }) => [(body as any).recommended_model.est_cost_usd, body["switch_reason"]])
      const [cold] = yield* costOf(null)
      assert.deepStrictEqual(yield* costOf("gpt-5"), [cold, "capability"])
    }).pipe(Effect.provide(offered)), 60_000)

  it.live("take an account's own model that has an offering's id, and what it says of a model's home", () =>
    Effect.gen(function*() {
      yield* own([
        { model_id: "azure/eu/gpt-5", provider: "azure", data_regions: ["eu"], input_cost_per_mtok: 9 },
        { model_id: "gpt-5-mini", data_regions: ["eu"] }
      ])
      const constraints = {
        candidate_models: ["azure/eu/gpt-5", "azure/eu/gpt-5-mini", "openai/gpt-5-mini"], data_regions: ["eu"]
      }
      const { ranked } = yield* asked(constraints)
      assert.deepStrictEqual(
        ranked.map(({ model_id, requested_model_id }) => [model_id, requested_model_id]).toSorted(),
        [["azure/eu/gpt-5", "azure/eu/gpt-5"], ["gpt-5-mini", "openai/gpt-5-mini"]]
      )
    }).pipe(Effect.provide(offered)), 60_000)
})
