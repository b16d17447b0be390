import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { dataDirectory } from "../support/Databases.ts"
import { filesWith } from "../support/FilesWith.ts"
import { acmeKey, sendRequest, requestJson, canary, startService, stopService } from "../support/Service.ts"

describe("the secret of a key", () => {
  it.live("is in no answer, log or file of the service, after every kind of request", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const service = yield* startService({ SEXTANT_DATA_DIR: directory, SEXTANT_BOOTSTRAP_KEYS: acmeKey })
      const { recommendationId, recommendedModel } = yield* requestJson(RecommendResponse, service, "/v1/recommend", {
        task: { task: "Fix this failing unit test" }
      })
      yield* requestJson(FeedbackResponse, service, "/v1/feedback", {
        recommendation_id: recommendationId,
        chosen_model_id: recommendedModel.modelId,
        outcome: "success"
      })
      const answers = yield* Effect.all([
        sendRequest(service, "/v1/recommend", { task: {} }),
        sendRequest(service, "/v1/nothing"),
        sendRequest(service, "/v1/health"),
        sendRequest({ ...service, key: `${acmeKey}x` }, "/v1/savings"),
        sendRequest({ ...service, key: `sxt_acme_unknown_${canary}` }, "/v1/savings"),
        sendRequest({ ...service, key: `broken ${canary}` }, "/v1/savings")
      ])
      assert.deepStrictEqual(answers.map(({ status }) => status), [400, 404, 200, 401, 401, 401])
      assert.deepStrictEqual(filesWith(directory, canary), [])
      assert.strictEqual(yield* stopService(service), 0)
      assert.deepStrictEqual(filesWith(directory, canary), [])
      // The search itself is sound: what the service does keep is found.
      assert.isNotEmpty(filesWith(directory, recommendedModel.modelId))
      for (const said of [service.stdout(), service.stderr(), ...answers.map(({ text }) => text)]) {
        assert.notInclude(said, canary)
      }
    }), 120_000)
})
