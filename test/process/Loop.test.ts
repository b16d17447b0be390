import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { StrategiesResponse } from "../../src/domain/Lesson.ts"
import { RecommendResponse } from "../../src/domain/Recommendation.ts"
import { SavingsResponse } from "../../src/domain/reports/Report.ts"
import { HealthResponse } from "../../src/domain/System.ts"
import { lived } from "../support/builders.ts"
import { dataDirectory } from "../support/Databases.ts"
import { filesWith } from "../support/FilesWith.ts"
import {
  acmeKey, canary, requestJson, sendRequest, type Service, startService, stopService, umbrellaKey
} from "../support/Service.ts"

const namespace = "checkout"

const recommend = (service: Service, task: string, over: object = {}) =>
  requestJson(RecommendResponse, service, "/v1/recommend", { task: { task }, namespace, ...over })

const feedback = (service: Service, recommendationId: string, modelId: string) =>
  requestJson(FeedbackResponse, service, "/v1/feedback", {
    recommendation_id: recommendationId,
    chosen_model_id: modelId,
    outcome: "success",
    quality_score: 0.95,
    evidence_source: "gate",
    actual_cost_usd: 0.002,
    input_tokens: 800,
    output_tokens: 250,
    latency_ms: 1_200
  })

const tasks = [
  "Fix the failing unit test of the shopping cart's total in Python",
  "Fix the failing unit test of the shopping cart's discount in Python",
  "Fix the failing unit test of the shopping cart's tax in Python"
]

/** Asks, reports success, and asks something similar: what the loop promises, on the wire. */
const loop = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const service = yield* startService(environment)
  const stranger = { ...service, key: umbrellaKey }
  const cold = yield* recommend(service, tasks[0] ?? "")
  assert.strictEqual(cold.decisionBasis, "prior")
  assert.include(cold.warnings, "cold_start")

  for (const task of tasks) {
    const { recommendationId } = yield* recommend(service, task)
    const told = yield* feedback(service, recommendationId, cold.recommendedModel.modelId)
    assert.isTrue(told.accepted)
    assert.isNotNull(told.recordId)
    assert.isTrue(told.lessonPromoted)
    assert.deepStrictEqual(told.warnings, [])
  }

  const similar = "Fix the failing unit test of the shopping cart's shipping in Python"
  const warm = yield* recommend(service, similar)
  assert.strictEqual(warm.decisionBasis, "memory")
  assert.notInclude(warm.warnings, "cold_start")
  const learned = warm.ranked.find(({ modelId }) => modelId === cold.recommendedModel.modelId)
  assert.strictEqual(learned?.decisionBasis, "memory")
  assert.isAtLeast(learned?.evidence?.length ?? 0, 1)
  assert.isTrue(learned?.evidence?.every(({ modelId }) => modelId === cold.recommendedModel.modelId))

  for (const [who, over] of [[service, { namespace: "another" }], [stranger, {}]] as const) {
    const elsewhere = yield* recommend(who, similar, over)
    assert.include(elsewhere.warnings, "cold_start")
    assert.isTrue(elsewhere.ranked.every(({ evidence }) => lived(evidence).length === 0))
  }

  const foreign = yield* feedback(stranger, warm.recommendationId, cold.recommendedModel.modelId)
  assert.isFalse(foreign.accepted)
  assert.isNull(foreign.recordId)
  assert.deepStrictEqual(foreign.warnings, ["unknown_recommendation"])

  const { reasoner } = yield* requestJson(HealthResponse, service, "/v1/health")
  assert.deepStrictEqual(reasoner, { provider: null, configured: false })
  const { summary } = yield* requestJson(SavingsResponse, service, `/v1/savings?namespace=${namespace}`)
  assert.strictEqual(summary.estimated.n, 5)
  assert.isNull(summary.reasonerCostUsd)
  assert.strictEqual(summary.realized.nReconciled, 3)
  assert.closeTo(summary.realized.realizedCostUsd, 0.006, 1e-9)
  const { summary: others } = yield* requestJson(SavingsResponse, stranger, `/v1/savings?namespace=${namespace}`)
  assert.strictEqual(others.realized.nReconciled, 0)

  const path = `/v1/strategies?namespace=${namespace}`
  const { count, strategies } = yield* requestJson(StrategiesResponse, service, path)
  assert.isAtLeast(count, 1)
  assert.include(strategies[0]?.description, cold.recommendedModel.modelId)
  assert.strictEqual((yield* requestJson(StrategiesResponse, stranger, path)).count, 0)
  return service
})

/** Sends requests that are refused, and searches answers, logs and files for the secret of every key. */
const hidesSecrets = Effect.fnUntraced(function*(service: Service, directory: string) {
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
  // The search itself is sound: it finds the namespace, which the service keeps.
  assert.isNotEmpty(filesWith(directory, namespace))
  for (const said of [service.stdout(), service.stderr(), ...answers.map(({ text }) => text)]) {
    assert.notInclude(said, canary)
  }
})

describe("the loop of a running service", () => {
  it.live("learns in its own lane only, and discloses no key's secret in answers, logs or files", () =>
    Effect.gen(function*() {
      const directory = yield* dataDirectory
      yield* hidesSecrets(yield* loop({ SEXTANT_DATA_DIR: directory }), directory)
    }), 120_000)
})
