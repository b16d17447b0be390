import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { AccountModelsStore, storedModels } from "../../src/accounts/AccountModels.ts"
import { bundledRows } from "../../src/catalog/file/CatalogFile.ts"
import { AccountModels } from "../../src/domain/account/AccountModels.ts"
import * as AccountModelsLocal from "../local/AccountModelsLocal.ts"
import { snapshot } from "../support/builders.ts"
import { catalogOf, reasonerOf } from "../support/fakes.ts"
import { undated } from "../support/undatedCatalog.ts"
import { engineService, feedback, key, type Ports, recommend } from "./EngineService.ts"
import { fakeRoutes, keyOfRole, sendRequest } from "./FakeService.ts"
import { listening } from "../support/InProcess.ts"

const { cards } = await Effect.runPromise(bundledRows.pipe(Effect.provide(NodeServices.layer)))

/** The service over the bundled catalog, whose prices stay fresh and whose models stay. */
const service = (ports: Ports = {}) => engineService({ catalog: catalogOf(undated(snapshot(cards))), ...ports })

interface Named {
  readonly model_id: string
  readonly effort: string | null
  readonly requested_model_id: string | null
}
type Body = Readonly<Record<string, unknown>>
const named = ({ effort, model_id }: Named) => effort === null ? model_id : `${model_id} at ${effort}`
const rankedOf = (body: Body) => (body["ranked"] as ReadonlyArray<Named>).map(named).sort()
const lowAndHigh = { model_id: "gpt-5", effort_levels: [{ effort: "low" }, { effort: "high", capability: 0.95 }] }
const manyModels = Array.from({ length: 64 }, (_, i) => ({
  model_id: `m${i}`, base_model: "gpt-5", effort_levels: Array.from({ length: 8 }, (_, level) => ({ effort: `l${level}` }))
}))

/** The service for an account that has set this document. */
const declaring = (document: object) => {
  const stored = storedModels(Schema.decodeUnknownSync(AccountModels)(document), new Date("2026-11-20T16:00:00Z"), [])
  return service({
    accountModels: Layer.succeed(AccountModelsStore, {
      read: () => Effect.succeed(stored), write: () => Effect.succeed(stored)
    })
  })
}

const variants = ["openai/gpt-5#low", "gpt-5#HIGH", "gpt-5-mini"]

describe("An effort over HTTP", () => {
  it.live("stands beside its model's id wherever the answer names one, and the asked name too", () =>
    Effect.gen(function*() {
      const { body, status } = yield* recommend({ constraints: { candidate_models: variants } })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(rankedOf(body), ["gpt-5 at high", "gpt-5 at low", "gpt-5-mini"])
      const all = body["ranked"] as ReadonlyArray<Named>
      assert.deepStrictEqual(all.map(({ requested_model_id: id }) => id ?? "").sort(), variants.toSorted())
      for (const field of ["recommended_model", "fallback_model"]) {
        const model = body[field] as Named | null
        if (model !== null) assert.isTrue(all.some((each) => named(each) === named(model)), field)
      }
      assert.notInclude(JSON.stringify(body), "#effort=")
    }).pipe(Effect.provide(service())), 60_000)

  it.live("is null beside every model where no candidate names one", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({ constraints: { candidate_models: ["gpt-5", "gpt-4o"] } })
      for (const model of body["ranked"] as ReadonlyArray<Named>) assert.isNull(model.effort)
    }).pipe(Effect.provide(service())), 60_000)

  it.live("has outcomes of its own, which are its evidence, and no other's", () =>
    Effect.gen(function*() {
      const ask = { constraints: { candidate_models: ["gpt-5#low", "gpt-5#high"] } }
      for (const [chosen_effort, outcome] of [["low", "failure"], ["high", "success"]] as const) {
        for (let i = 0; i < 4; i++) {
          const { body } = yield* recommend(ask)
          yield* feedback(body["recommendation_id"], { chosen_model_id: "gpt-5", chosen_effort, outcome })
        }
      }
      const { body } = yield* recommend(ask)
      const all = body["ranked"] as ReadonlyArray<Named & {
        readonly predicted_success: number
        readonly evidence: ReadonlyArray<Named & { readonly observed_success: number }>
      }>
      const of = (effort: string) => all.find((each) => each.effort === effort) ?? assert.fail(effort)
      assert.isBelow(of("low").predicted_success, of("high").predicted_success)
      for (const effort of ["low", "high"]) {
        const { evidence } = of(effort)
        assert.lengthOf(evidence, 4)
        assert.isTrue(evidence.every((each) => named(each) === `gpt-5 at ${effort}`))
        assert.isTrue(evidence.every(({ observed_success: quality }) => quality > 0.5 === (effort === "high")))
      }
      const { body: report } = yield* sendRequest("GET", "/v1/dashboard", { key })
      assert.include(JSON.stringify(report), "\"effort\":\"high\"")
      assert.notInclude(JSON.stringify(report), "#effort=")
    }).pipe(Effect.provide(service())), 60_000)

  it.live("of each step of a workflow is its own, in shadow as well", () =>
    Effect.gen(function*() {
      const task = { task: "Write a function", task_type: "code", difficulty: "medium" }
      const { body, status } = yield* sendRequest("POST", "/v1/recommend/workflow", {
        key,
        json: {
          steps: [
            { step_id: "a", task }, { step_id: "b", task, constraints: { candidate_models: ["gpt-5#max"] } }
          ],
          constraints: { candidate_models: ["gpt-5#low"] }, shadow: true, allow_llm_escalation: false
        }
      })
      assert.strictEqual(status, 200)
      const steps = body["steps"] as ReadonlyArray<{ recommendation: { recommended_model: Named } }>
      assert.deepStrictEqual(steps.map(({ recommendation }) => named(recommendation.recommended_model)), [
        "gpt-5 at low", "gpt-5 at max"
      ])
    }).pipe(Effect.provide(service())), 60_000)

  it.live("is in the reasoner's closed list as a candidate of its own, and its opinion moves that one", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({
        constraints: { candidate_models: ["gpt-5#low", "gpt-5#high"] }, allow_llm_escalation: true
      })
      const all = body["ranked"] as ReadonlyArray<Named & { readonly decision_basis: string }>
      assert.deepStrictEqual(all.filter((each) => each.decision_basis === "llm").map(named), ["gpt-5 at low"])
    }).pipe(Effect.provide(service({
      reasoner: reasonerOf({
        rank: (_account, _task, [first, ...rest]) => {
          const low = [first, ...rest].find((each) => each?.modelId.endsWith("low") === true)
          return Effect.succeed(low === undefined ? [] : [{ modelId: low.modelId, predictedSuccess: 0.05, rationale: "" }])
        }
      })
    }))), 60_000)

  it.live("is listed with its model by GET /v1/models, which lists no variants", () =>
    Effect.gen(function*() {
      const { body } = yield* sendRequest("GET", "/v1/models?provider=openai", { key })
      const models = body["models"] as ReadonlyArray<{ model_id: string; effort_levels?: ReadonlyArray<{ effort: string }> }>
      assert.isTrue(models.every(({ model_id: id }) => !id.includes("#")))
      const of = (id: string) => models.find(({ model_id: modelId }) => modelId === id)?.effort_levels
      assert.isTrue(of("gpt-5")?.some(({ effort }) => effort === "xhigh"))
      assert.isUndefined(of("gpt-4o"))
    }).pipe(Effect.provide(service())), 60_000)
})

describe("An account's levels over HTTP", () => {
  it.live("are what a request without candidates chooses among, in place of their model", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({ max_candidates: 64, constraints: { allowed_providers: ["openai"] } })
      const ofGpt5 = rankedOf(body).filter((name) => /^gpt-5($| )/.test(name))
      assert.deepStrictEqual(ofGpt5, ["gpt-5 at high", "gpt-5 at low"])
      const bare = yield* recommend({ constraints: { candidate_models: ["gpt-5"] } })
      assert.deepStrictEqual(rankedOf(bare.body), ["gpt-5"])
    }).pipe(Effect.provide(declaring({ models: [lowAndHigh] }))), 60_000)

  it.live("keep their places on a short list beside an incumbent that names the model", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({ max_candidates: 2, incumbent_model_id: "gpt-5" })
      assert.deepStrictEqual(rankedOf(body), ["gpt-5 at high", "gpt-5 at low"])
      const one = yield* recommend({ max_candidates: 1, incumbent_model_id: "gpt-5#high" })
      assert.deepStrictEqual(rankedOf(one.body), ["gpt-5 at high"])
    }).pipe(Effect.provide(declaring({ models: [lowAndHigh] }))), 60_000)

  it.live("may be the default candidates, which the document then names with their levels", () =>
    Effect.gen(function*() {
      const { body } = yield* sendRequest("GET", "/v1/account/models", { key })
      assert.deepStrictEqual(body["resolved_candidates"], [
        { requested_model_id: "gpt-5#low", model_id: "gpt-5", effort: "low" },
        { requested_model_id: "gpt-5#high", model_id: "gpt-5", effort: "high" }
      ])
      assert.deepStrictEqual(rankedOf((yield* recommend()).body), ["gpt-5 at high", "gpt-5 at low"])
    }).pipe(Effect.provide(declaring({ default_candidates: ["gpt-5#low", "gpt-5#high"] }))), 60_000)

  it.live("may be hundreds, of which a request still gets its short list", () =>
    Effect.gen(function*() {
      const { body, status } = yield* recommend({ max_candidates: 64 })
      assert.strictEqual(status, 200)
      assert.lengthOf(rankedOf(body), 64)
      const named = manyModels.flatMap(({ model_id }) => Array.from({ length: 8 }, (_, i) => `${model_id}#l${i}`))
      const all = yield* recommend({ max_candidates: 64, constraints: { candidate_models: named } })
      assert.strictEqual(all.status, 200)
      assert.include(all.body["warnings"], `candidates_capped:${named.length - 64}`)
    }).pipe(Effect.provide(declaring({ models: manyModels }))), 60_000)

  it.live("are refused by their field where they are no words, twice the same, or a variant's own id", () =>
    Effect.gen(function*() {
      const priced = { provider: "us", input_cost_per_mtok: 1, output_cost_per_mtok: 1, context_window: 9 }
      for (const [model, expected, field] of [
        [{ model_id: "m", effort_levels: [{ effort: "a#b" }] }, 400, "models.0.effort_levels.0.effort"],
        [{ model_id: "m", effort_levels: [{ effort: "a" }, { effort: "a" }] }, 400, "models.0.effort_levels"],
        [{ model_id: "m", effort_levels: [{ effort: "a", verbosity: 0 }] }, 400, "models.0.effort_levels.0.verbosity"],
        [{ model_id: "m".repeat(250), effort_levels: [{ effort: "a" }] }, 422, "models.0.effort_levels"],
        [{ model_id: "m#effort=low" }, 422, "models.0.model_id"]
      ] as const) {
        const json = { models: [{ ...priced, ...model }] }
        const { body, status } = yield* sendRequest("PUT", "/v1/account/models", { key: keyOfRole.admin, json })
        assert.strictEqual(status, expected, field)
        assert.include(JSON.stringify(body), field)
      }
    }).pipe(Effect.provide(fakeRoutes().pipe(
      Layer.provide(Layer.fresh(AccountModelsLocal.layer)),
      Layer.provideMerge(listening())
    ))), 60_000)
})

describe("A hostile effort", () => {
  it.live("is an unknown model or a refused text, and never a fault", () =>
    Effect.gen(function*() {
      for (const effort of [
        "", "#", "low#low", "x".repeat(250), "größe", "lo w", "\u202elow", "effort=", "effort=effort=low", "../low",
        "accounts/me/deployments/1", "%00", "__proto__", "constructor"
      ]) {
        const { body, status } = yield* recommend({ constraints: { candidate_models: ["gpt-5-mini", `gpt-5#${effort}`] } })
        assert.strictEqual(status, 200, effort)
        assert.deepStrictEqual(rankedOf(body), ["gpt-5-mini"])
        assert.include(body["warnings"], "unknown_models:1")
        const alone = yield* recommend({ constraints: { candidate_models: [`gpt-5#${effort}`] } })
        assert.strictEqual(alone.status, 422, effort)
      }
      for (const effort of ["\u0000", "\ud800", "x".repeat(256)]) {
        const { status } = yield* recommend({ constraints: { candidate_models: [`gpt-5#${effort}`] } })
        assert.strictEqual(status, 400)
      }
      const many = Array.from({ length: 1_000 }, (_, i) => `gpt-5#l${i}`)
      const { body, status } = yield* recommend({ constraints: { candidate_models: [...many.slice(1), "gpt-5#low"] } })
      assert.strictEqual(status, 200)
      assert.include(body["warnings"], "unknown_models:999")
    }).pipe(Effect.provide(service())), 60_000)

  it.live("in a feedback is known to be none, or refused", () =>
    Effect.gen(function*() {
      const { body } = yield* recommend({ constraints: { candidate_models: ["gpt-5#low", "gpt-5-mini"] } })
      for (const [index, chosen_effort] of ["#", "low#high", "constructor", "x".repeat(256), "Ⅸ"].entries()) {
        const answer = yield* feedback(body["recommendation_id"], {
          chosen_model_id: "gpt-5", chosen_effort, idempotency_key: `k${index}`
        })
        assert.strictEqual(answer.status, 200)
        assert.include(answer.body["warnings"], "unknown_effort")
      }
      for (const chosen_effort of ["", "\u0000", "x".repeat(257)]) {
        const { status } = yield* feedback(body["recommendation_id"], { chosen_model_id: "gpt-5", chosen_effort })
        assert.strictEqual(status, 400)
      }
    }).pipe(Effect.provide(service())), 60_000)
})
