import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountModelsStore } from "../../src/accounts/AccountModels.ts"
import { LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { engineService, recommend } from "./EngineService.ts"
import { fakeRoutes, keyOfRole, sendRequest } from "./FakeService.ts"
import { listening } from "../support/InProcess.ts"

const out = Effect.fail(LedgerUnavailable.timedOut(1))
const storeOf = (answer: typeof out | Effect.Effect<never>) =>
  Layer.succeed(AccountModelsStore, { read: () => answer, write: () => answer })

const service = (answer: typeof out | Effect.Effect<never>) =>
  fakeRoutes().pipe(
    Layer.provide(storeOf(answer)),
    Layer.provideMerge(listening())
  )

const key = keyOfRole.admin
const path = "/v1/account/models"

it.live("a document with a misspelt field is refused with the right name before it is written", () =>
  Effect.gen(function*() {
    const { body, status } = yield* sendRequest("PUT", path, { key, json: { defaultCandidates: ["gpt-5"] } })
    assert.deepStrictEqual([status, body["detail"]],
      [400, "defaultCandidates: Unknown field, did you mean default_candidates?"])
  }).pipe(Effect.provide(service(Effect.never))), 60_000)

describe("while the store of accounts", () => {
  for (const [state, answer] of [["is out", out], ["does not answer", Effect.never]] as const) {
    it.live(`${state}, an account's models are 503 with a time to retry, and the shared ones are listed`, () =>
      Effect.gen(function*() {
        const asks = [["GET", {}], ["PUT", { json: { default_providers: null } }]] as const
        yield* Effect.forEach(asks, ([method, init]) =>
          Effect.map(sendRequest(method, path, { key, ...init }), ({ headers, status }) => {
            assert.strictEqual(status, 503, method)
            assert.match(headers.get("retry-after") ?? "", /^[1-9]/)
          }), { concurrency: "unbounded" })
        assert.strictEqual((yield* sendRequest("GET", "/v1/models", { key })).status, 200)
      }).pipe(Effect.provide(service(answer))), 60_000)
  }

  it.live("does not answer, a recommendation is made without it, and says so", () =>
    Effect.gen(function*() {
      const { body, status } = yield* recommend()
      assert.strictEqual(status, 200)
      assert.include(body["warnings"], "account_models_unavailable")
    }).pipe(Effect.provide(engineService({
      accountModels: storeOf(Effect.never), settings: { recallBudgetMs: 300 }
    }))), 60_000)
})
