import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AccountModelsSql from "../../src/accounts/sql/AccountModelsSql.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import * as GuaranteeEvidenceSql from "../../src/ledger/sql/guarantee/GuaranteeEvidenceSql.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { embedded } from "../support/Databases.ts"
import { evidenceAfter, trials } from "../support/guarantees.ts"
import { account, engineService } from "./EngineService.ts"
import { fakeKeys, keyOfRole, sendRequest } from "./FakeService.ts"

const path = "/v1/account/models"
const house = { model_id: "house", base_model: "middle", provider: "on-prem" }
const document = (over: object = {}) => ({ models: [{ ...house, ...over }] })

const guarantee = { baseline_model_id: "dear", trial_share: 0.2 }
const task = { task: "Write a function that sums a list", task_type: "code", difficulty: "medium" }
const asked = { task, allow_llm_escalation: false, guarantee, cost_quality_tradeoff: 0, constraints: { candidate_models: ["house", "dear"] } }

type Json = Record<string, any>
const key = keyOfRole.admin
const bodyOf = Effect.map(({ body }: { readonly body: unknown }) => body as Json)
const put = (json: object) => bodyOf(sendRequest("PUT", path, { key, json }))
const get = (of: string) => bodyOf(sendRequest("GET", of, { key }))
const recommended = bodyOf(sendRequest("POST", "/v1/recommend", { key, json: asked }))

const stateOf = Effect.map(recommended, (body) => ({ ...body["guarantee"], pick: body["recommended_model"].model_id }))

/** The evidence of trials that hold the model, as it stands in a checkpoint. */
const holding = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into guarantee_evidence (account_id, lane, baseline_model_id, max_quality_loss, confidence,
      folded_id, evidence)
    values (${account}, ${laneOf(null)}, 'dear', 0.05, 0.95, '00000000-0000-0000-0000-000000000000',
      ${JSON.stringify(evidenceAfter(trials(2_000), { candidate: "house" }))}::text::jsonb)`
}).pipe(withAccount(account))

const service = engineService({
  accountModels: AccountModelsSql.layer.pipe(Layer.provide(embedded), Layer.orDie),
  keys: fakeKeys,
  guarantees: GuaranteeEvidenceSql.layer.pipe(Layer.provide(embedded), Layer.orDie)
}).pipe(Layer.merge(embedded))

describe("over HTTP, a model that becomes another one under its id", () => {
  it.live("starts from nothing as evidence, and the answers say which changed, in what and when", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* put(document()))["restarts"], [])
      yield* holding
      const held = yield* stateOf
      assert.deepInclude(held, { state: "held", candidate_model_id: "house", evidence_since: null })
      // A tenth of the tasks still goes to the baseline.
      assert.strictEqual(held.pick, held.is_trial ? "dear" : "house")
      // Prices, priors and a name for people are no change.
      assert.deepStrictEqual((yield* put(document({
        capability: 0.9, display_name: "House", input_cost_per_mtok: 0.9, output_cost_per_mtok: 1
      })))["restarts"], [])
      assert.strictEqual((yield* stateOf).state, "held")

      const moved = yield* put(document({ provider: "azure", base_model: "cheap" }))
      assert.deepStrictEqual(moved["restarts"], [
        { model_id: "house", changed: ["base_model", "provider"], since: moved["updated_at"] }
      ])
      assert.deepInclude(yield* stateOf, {
        state: "earning", candidate_model_id: "house", outcomes: 0, proven_loss: null, evidence_since: moved["updated_at"]
      })
      const [kind] = (yield* get("/v1/account/guarantee"))["kinds"]
      assert.deepInclude(kind, { state: "earning", tasks: 2_000 })
      assert.deepInclude(kind["candidates"][0], {
        model_id: "house", state: "earning", outcomes: 0, success: null, evidence_since: moved["updated_at"]
      })

      // The same again is no change; what it was before is one.
      assert.deepStrictEqual((yield* put(document({ provider: "Azure", base_model: "cheap" })))["restarts"], [])
      assert.deepStrictEqual((yield* get(path))["restarts"], moved["restarts"])
      const back = yield* put(document())
      assert.deepInclude(back["restarts"][0], { changed: ["base_model", "provider"], since: back["updated_at"] })
      assert.strictEqual((yield* stateOf).state, "earning")

      // Nor is it held by leaving the document and coming back.
      assert.deepInclude(yield* put({}), { models: [], updated_at: null, restarts: [] })
      assert.deepStrictEqual((yield* put(document()))["restarts"], [])
      assert.strictEqual((yield* stateOf).state, "earning")
      const again = yield* put({})
      assert.deepStrictEqual(again["restarts"], [])
      assert.deepInclude((yield* put(document({ version: "2" })))["restarts"][0], { changed: ["version"] })
    }).pipe(Effect.provide(service)), 120_000)

  it.live("is answered with what it still rests on", () =>
    Effect.gen(function*() {
      yield* put(document())
      const { recommendation_id } = yield* recommended
      yield* sendRequest("POST", "/v1/feedback", { key, json: {
        recommendation_id, chosen_model_id: "house", outcome: "failure", evidence_source: "gate"
      } })
      assert.notInclude((yield* recommended)["warnings"].join(), "models_changed")
      yield* put(document({ version: "2" }))
      assert.include((yield* recommended)["warnings"], "models_changed:1")
      const { body: refused, status } = yield* sendRequest("PUT", path, { key, json: document({ version: "" }) })
      assert.strictEqual(status, 400)
      assert.include(JSON.stringify(refused), "models.0.version")
    }).pipe(Effect.provide(service)), 120_000)
})
