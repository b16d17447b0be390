import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { spawnSync } from "node:child_process"
import { FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import { RecommendResponse } from "../../../src/domain/Recommendation.ts"
import { attribute, metric, metrics } from "../../../src/telemetry/SemanticConventions.ts"
import { type FakeReasoner, fakeReasoner } from "../../reasoner/fake.ts"
import { type Collector, collector, until } from "../../support/Collector.ts"
import { dataDirectory } from "../../support/Databases.ts"
import { sources } from "../../support/program.ts"
import { awaitLog, canary, requestJson, sendRequest, type Service, startService, stopService } from "../../support/Service.ts"

const taskCanary = "canarytaskzebra"
const reasonerCanary = "canary-reasoner-0123456789"
const trace = "0123456789abcdef0123456789abcdef"
const caller = "00f067aa0ba902b7"

/** Everything is sent several times a second, so that a test need not wait. */
const quick = {
  OTEL_BSP_SCHEDULE_DELAY: "100",
  OTEL_BLRP_SCHEDULE_DELAY: "100",
  OTEL_METRIC_EXPORT_INTERVAL: "200"
}

const posted = (service: Service, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(`${service.baseUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })
    return { status: answer.status, text: await answer.text() }
  })

const task = { task: `Fix this failing unit test about ${taskCanary}`, task_type: "code", difficulty: "hard" }

const recommend = (service: Service) => requestJson(RecommendResponse, service, "/v1/recommend", { task })

const feedbackOf = ({ recommendationId, recommendedModel }: RecommendResponse) => ({
  recommendation_id: recommendationId, chosen_model_id: recommendedModel.modelId, outcome: "success",
  evidence_source: "gate", actual_cost_usd: 0.002, notes: taskCanary
})

const valueOf = ({ series }: Collector, name: string, attributes: Readonly<Record<string, unknown>> = {}) =>
  [...series.values()]
    .filter((each) => each.name === name)
    .filter((each) => Object.entries(attributes).every(([key, value]) => each.attributes[key] === value))
    .reduce((sum, { value }) => sum + value, 0)

const spanOf = ({ spans }: Collector, name: string, traceId: string) =>
  spans.find((span) => span.name === name && span.traceId === traceId)

/** Says on standard error which packages are loaded. */
const telling = `--import data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module"
  import { isMainThread } from "node:worker_threads"
  if (isMainThread) registerHooks({ resolve(specifier, context, next) {
    if (specifier.startsWith("@opentelemetry/")) process.stderr.write("loaded " + specifier + "\\n")
    return next(specifier, context)
  } })`)}`

/** A collector, and a service that sends it telemetry. */
const telemetered = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const [directory, heard] = [yield* dataDirectory, yield* collector]
  const service = yield* startService({
    SEXTANT_DATA_DIR: directory, OTEL_EXPORTER_OTLP_ENDPOINT: heard.url, ...quick, ...environment
  })
  return { heard, service }
})

const stages = ["classify", "filter", "recall", "laneNumbers", "aggregate", "cost", "optimize"]
const lessons = ["resolve", "prepare", "settle"]

/** A service with a name and a header of its own, its collector and its reasoner. */
class Stage extends Context.Service<Stage, {
  readonly heard: Collector
  readonly fake: FakeReasoner
  readonly service: Service
}>()("test/telemetry/Stage") {
  static readonly layer = Layer.effect(Stage, Effect.gen(function*() {
    const fake = yield* fakeReasoner
    return { fake, ...yield* telemetered({
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=acme",
      OTEL_SERVICE_NAME: "sextant-eu",
      SEXTANT_REASONER_URL: fake.url.href,
      SEXTANT_REASONER_MODEL: "gpt-4.1-mini",
      SEXTANT_REASONER_API_KEY: reasonerCanary
    }) }
  }))
}

layer(Stage.layer, { excludeTestServices: true, timeout: "120 seconds" })("A service with a collector", (it) => {
  it.effect("continues the caller's trace and records its decision, but never a task or a key", () =>
    Effect.gen(function*() {
      const { heard, service } = yield* Stage
      const traced = { traceparent: `00-${trace}-${caller}-01` }
      const { status, text } = yield* posted(service, "/v1/recommend", { task }, traced)
      assert.strictEqual(status, 200)
      const advice = JSON.parse(text)
      const model = advice.recommended_model.model_id
      yield* requestJson(FeedbackResponse, service, "/v1/feedback", {
        recommendation_id: advice.recommendation_id, chosen_model_id: model, outcome: "success",
        evidence_source: "gate", actual_cost_usd: 0.002, notes: taskCanary
      })
      yield* requestJson(FeedbackResponse, service, "/v1/feedback", {
        recommendation_id: advice.recommendation_id, chosen_model_id: advice.ranked.at(-1).model_id, outcome: "failure",
        evidence_source: "gate", notes: taskCanary
      })
      yield* sendRequest(service, `/v1/strategies?key=${canary}`)
      yield* posted(service, "/v1/feedback", { recommendation_id: "nothing", chosen_model_id: "x", outcome: "success" })
      for (let i = 0; i < 3; i++) {
        yield* posted(service, "/v1/health", null, traced)
        yield* sendRequest(service, "/v1/health")
      }
      yield* sendRequest({ ...service, key: `sxt_acme_k1_${"0".repeat(36)}` }, "/v1/models")
      yield* sendRequest(service, "/v1/nowhere")

      yield* until(heard, (collected) =>
        spanOf(collected, "POST /v1/recommend", trace) !== undefined
        && lessons.every((stage) => collected.spans.some(({ name }) => name === stage))
        && valueOf(collected, metric.requests.name, { [attribute.route]: "/v1/health" }) >= 6
        && valueOf(collected, metric.costRealized.name) > 0)
      assert.deepStrictEqual(heard.unreadable, [])

      // The server's span hangs under the caller's, and everything of the request in its trace.
      const server = spanOf(heard, "POST /v1/recommend", trace)
      assert.strictEqual(server?.parentSpanId, caller)
      assert.isTrue(server?.isServer)
      assert.strictEqual(server?.attributes[attribute.route], "/v1/recommend")
      for (const stage of stages) assert.isDefined(spanOf(heard, stage, trace), stage)
      const names = heard.spans.map(({ name }) => name)
      for (const stage of lessons) assert.include(names, stage)

      const decided = spanOf(heard, "Recommender.advise", trace)?.attributes ?? {}
      assert.strictEqual(decided[attribute.recommendationId], advice.recommendation_id)
      assert.strictEqual(decided[attribute.basis], advice.decision_basis)
      assert.strictEqual(decided[attribute.tau], advice.threshold_used)
      assert.strictEqual(decided[attribute.candidates], advice.ranked.length)
      assert.strictEqual(decided[attribute.model], model)
      assert.deepStrictEqual(decided[attribute.warnings], advice.warnings)
      assert.strictEqual(spanOf(heard, "optimize", trace)?.attributes[attribute.tau], advice.threshold_used)
      assert.strictEqual(spanOf(heard, "recall", trace)?.attributes[attribute.neighbours], 0)

      // What the semantic conventions have names for.
      const chat = spanOf(heard, "chat gpt-4.1-mini", trace)?.attributes ?? {}
      assert.strictEqual(chat["gen_ai.operation.name"], "chat")
      assert.strictEqual(chat["gen_ai.provider.name"], "openai")
      assert.strictEqual(chat["gen_ai.usage.input_tokens"], 400)
      assert.strictEqual(spanOf(heard, "retrieval embedded", trace)?.attributes["gen_ai.operation.name"], "retrieval")
      assert.isTrue(heard.spans.some(({ attributes }) => attributes["gen_ai.operation.name"] === "embeddings"))

      // Nothing of a probe is traced, and no statement stands outside a request.
      assert.isFalse(heard.spans.some(({ attributes, name }) =>
        name.includes("/health") || String(attributes["url.path"]).includes("health")))
      for (const root of heard.spans.filter(({ parentSpanId }) => parentSpanId === null)) {
        assert.isTrue(root.isServer, root.name)
      }

      // No text of the caller's and no key, in anything that was sent.
      const sent = heard.bodies.join("\n")
      for (const secret of [taskCanary, canary, reasonerCanary]) assert.notInclude(sent, secret)
      assert.include(sent, advice.recommendation_id)

      assert.isTrue(heard.headers.every((headers) => headers["x-tenant"] === "acme"))
      for (const resource of heard.resources) {
        assert.strictEqual(resource["service.name"], "sextant-eu")
        assert.match(String(resource["service.instance.id"]), /^[0-9a-f-]{36}$/)
      }
    }), 120_000)

  it.effect("exports each log line with its trace", () =>
    Effect.gen(function*() {
      const { fake, heard, service } = yield* Stage
      const trace = "b".repeat(32)
      fake.state.trouble = (response) => void response.writeHead(503).end()
      yield* posted(service, "/v1/recommend", { task }, { traceparent: `00-${trace}-${caller}-01` })
      yield* until(heard, ({ logs }) => logs.some(({ traceId }) => traceId === trace))
      const [log] = heard.logs.filter(({ traceId }) => traceId === trace)
      assert.strictEqual(log?.severityText, "Warn")
      assert.include(JSON.stringify(log?.body), "The reasoner gave no usable answer")
      assert.isTrue(heard.spans.some(({ spanId }) => spanId === log?.spanId)
        || (yield* until(heard, ({ spans }) => spans.some(({ spanId }) => spanId === log?.spanId)), true))
      // The operator's own log has it as well.
      yield* awaitLog(service, "The reasoner gave no usable answer")
      assert.strictEqual(yield* stopService(service), 0)
    }), 120_000)
})

describe("A service with a collector of its own", () => {
  it.live("records metrics under the names and attributes of SemanticConventions alone", () =>
    Effect.gen(function*() {
      const fake = yield* fakeReasoner
      const { heard, service } = yield* telemetered({
        SEXTANT_REASONER_URL: fake.url.href, SEXTANT_REASONER_MODEL: "gpt-4.1-mini"
      })
      const [first, second] = [yield* recommend(service), yield* recommend(service)]
      for (const body of [feedbackOf(first), feedbackOf(first), { ...feedbackOf(second), outcome: "failure" }]) {
        yield* requestJson(FeedbackResponse, service, "/v1/feedback", body)
      }
      yield* sendRequest(service, "/v1/nowhere")
      yield* until(heard, (collected) =>
        valueOf(collected, metric.feedback.name) >= 3
        && valueOf(collected, metric.requests.name, { [attribute.status]: "404" }) >= 1)

      const value = (of: { readonly name: string }, attributes: Readonly<Record<string, unknown>> = {}) =>
        valueOf(heard, of.name, attributes)
      const recommended = { [attribute.route]: "/v1/recommend", [attribute.status]: "200" }
      assert.strictEqual(value(metric.requests, recommended), 2)
      assert.strictEqual(value(metric.requests, { [attribute.route]: "other", [attribute.status]: "404" }), 1)
      assert.strictEqual(value(metric.decisions), 2)
      assert.strictEqual(value(metric.decisions, { [attribute.basis]: "llm" }), 2)
      for (const stage of stages) assert.isAtLeast(value(metric.stages, { [attribute.stage]: stage }), 2, stage)
      // A repeat is a feedback that says nothing new.
      assert.strictEqual(value(metric.feedback, { [attribute.claim]: "first" }), 2)
      assert.strictEqual(value(metric.feedback, { [attribute.claim]: "same" }), 1)
      assert.strictEqual(value(metric.trials), 2)
      assert.strictEqual(value(metric.realized), 1)
      const predicted = first.recommendedModel.predictedSuccess + second.recommendedModel.predictedSuccess
      assert.closeTo(value(metric.predicted), predicted, 1e-9)
      const estimated = first.recommendedModel.estCostUsd + second.recommendedModel.estCostUsd
      assert.closeTo(value(metric.costEstimated), estimated, 1e-12)
      assert.closeTo(value(metric.costBilledEstimate), estimated, 1e-12)
      assert.closeTo(value(metric.costRealized), 0.004, 1e-12)
      assert.isAbove(value(metric.costPremium), estimated)
      assert.isAbove(value(metric.costReasoner), 0)
      for (const warning of first.warnings) {
        assert.isAtLeast(value(metric.warnings, { [attribute.warning]: warning }), 1, warning)
      }
      assert.strictEqual(value(metric.cacheEntries, { [attribute.cache]: "lanes" }), 1)
      assert.isAbove(value(metric.cacheBytes), 0)
      assert.strictEqual(value(metric.breakers, { [attribute.breaker]: "reasoner" }), 0)
      assert.isAbove(value(metric.processMemory), 10_000_000)
      assert.isAbove(value(metric.processCpu), 0)
      assert.isAbove(value(metric.genAi, { "gen_ai.operation.name": "chat" }), 0)
      assert.isAbove(value(metric.tokens, { "gen_ai.token.type": "input" }), 0)

      for (const { attributes, kind, name, unit } of heard.series.values()) {
        const known = metrics.get(name)
        assert.isDefined(known, `${name} is in no table`)
        assert.deepStrictEqual({ unit, kind }, { unit: known?.unit ?? "", kind: known?.kind }, name)
        for (const key of Object.keys(attributes)) assert.include(known?.attributes, key, `${name} has ${key}`)
      }
      const told = new Set([...heard.series.values()].map(({ name }) => name))
      // An external memory is the one thing that this service does not have.
      assert.deepStrictEqual([...metrics.keys()].filter((name) => !told.has(name)), [metric.outboxWaiting.name])
      assert.strictEqual(yield* stopService(service), 0)
    }), 120_000)

  it.live("samples as configured or as the caller chose, and records a task if the operator allows it", () =>
    Effect.gen(function*() {
      const { heard, service } = yield* telemetered({
        OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0",
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true"
      })
      yield* recommend(service)
      yield* posted(service, "/v1/recommend", { task }, { traceparent: `00-${"a".repeat(32)}-${caller}-00` })
      yield* posted(service, "/v1/recommend", { task }, { traceparent: `00-${trace}-${caller}-01` })
      yield* until(heard, ({ spans }) => spans.some(({ name }) => name === "POST /v1/recommend"))
      assert.deepStrictEqual([...new Set(heard.spans.map(({ traceId }) => traceId))], [trace])
      const telling = heard.spans.filter(({ attributes }) => JSON.stringify(attributes).includes(taskCanary))
      assert.deepStrictEqual(telling.map(({ name }) => name), ["recall"])
      assert.include(telling[0]?.attributes["gen_ai.retrieval.query.text"], taskCanary)
      // What is not traced is counted all the same.
      yield* until(heard, (collected) => valueOf(collected, metric.decisions.name) === 3)
      assert.strictEqual(yield* stopService(service), 0)
      assert.deepStrictEqual([...new Set(heard.spans.map(({ traceId }) => traceId))], [trace])
    }), 120_000)

  it.live("exports nothing when telemetry is disabled, and does not load the SDK without an endpoint", () =>
    Effect.gen(function*() {
      const [directory, heard] = [yield* dataDirectory, yield* collector]
      const loading = "loaded @opentelemetry/sdk-trace-node"
      for (const environment of [
        { OTEL_EXPORTER_OTLP_ENDPOINT: heard.url, OTEL_SDK_DISABLED: "true" }, { OTEL_EXPORTER_OTLP_ENDPOINT: "" }
      ]) {
        const service = yield* startService({ SEXTANT_DATA_DIR: directory, NODE_OPTIONS: telling, ...quick, ...environment }, sources)
        yield* recommend(service)
        assert.strictEqual(yield* stopService(service), 0)
        assert.notInclude(service.stderr(), loading)
      }
      assert.strictEqual(heard.state.requests, 0)
      // The file that needs the SDK would have been noticed.
      const sdk = new URL("../../../src/telemetry/otlp/Sdk.ts", import.meta.url).pathname
      const { stderr } = spawnSync(process.execPath, [sdk], { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: telling } })
      assert.include(stderr, loading)
    }), 120_000)
})
