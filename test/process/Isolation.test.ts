import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { dataDirectory } from "../support/Databases.ts"
import { acmeKey, ask, call, canary, filesWith, start, stop } from "../support/Service.ts"

describe("the secret of a key", () => {
  it.live("is in no answer, log or file of the service, after every kind of request", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      const service = yield* start({ SEXTANT_DATA_DIR: directory, SEXTANT_BOOTSTRAP_KEYS: acmeKey })
      const { recommendationId, recommendedModel } = yield* call(RecommendResponse, service, "/v1/recommend", {
        task: { task: "Fix this failing unit test" }
      })
      yield* call(FeedbackResponse, service, "/v1/feedback", {
        recommendation_id: recommendationId,
        chosen_model_id: recommendedModel.modelId,
        outcome: "success"
      })
      const answers = yield* Effect.all([
        ask(service, "/v1/recommend", { task: {} }),
        ask(service, "/v1/nothing"),
        ask(service, "/v1/health"),
        ask({ ...service, key: `${acmeKey}x` }, "/v1/savings"),
        ask({ ...service, key: `sxt_acme_unknown_${canary}` }, "/v1/savings"),
        ask({ ...service, key: `broken ${canary}` }, "/v1/savings")
      ])
      assert.deepStrictEqual(answers.map(({ status }) => status), [400, 404, 200, 401, 401, 401])
      assert.deepStrictEqual(filesWith(directory, canary), [])
      assert.strictEqual(yield* stop(service), 0)
      assert.deepStrictEqual(filesWith(directory, canary), [])
      // The search itself is sound: what the service does keep is found.
      assert.isNotEmpty(filesWith(directory, recommendedModel.modelId))
      for (const said of [service.stdout(), service.stderr(), ...answers.map(({ text }) => text)]) {
        assert.notInclude(said, canary)
      }
    }), 120_000)
})
