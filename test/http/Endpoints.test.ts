import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { detailOf } from "../../src/api/Detail.ts"
import { InvalidRequest } from "../../src/api/Problems.ts"
import { Validation } from "../../src/api/Validation.ts"
import { FeedbackRequest } from "../../src/domain/feedback/Feedback.ts"
import { DiagnoseRequest } from "../../src/domain/Lesson.ts"
import { RecommendRequest } from "../../src/domain/Recommendation.ts"
import { snakeCase } from "../../src/domain/wire/Wire.ts"
import { WorkflowRequest } from "../../src/domain/Workflow.ts"
import * as AccountHttp from "../../src/http/AccountHttp.ts"
import * as AuthorizationHttp from "../../src/http/AuthorizationHttp.ts"
import * as Endpoints from "../../src/http/Endpoints.ts"
import * as FeedbackHttp from "../../src/http/FeedbackHttp.ts"
import * as InsightHttp from "../../src/http/InsightHttp.ts"
import * as Limits from "../../src/http/limits/Limits.ts"
import { layerAdmissions } from "../../src/http/limits/LoadSample.ts"
import * as Verification from "../../src/http/limits/Verification.ts"
import * as ModelsHttp from "../../src/http/ModelsHttp.ts"
import * as RecommendHttp from "../../src/http/RecommendHttp.ts"
import * as ReportsHttp from "../../src/http/ReportsHttp.ts"
import { known } from "../../src/http/Server.ts"
import * as SystemHttp from "../../src/http/SystemHttp.ts"
import { drawOf } from "../fuzz/draw.ts"
import { mutated } from "../fuzz/mutations.ts"
import { listening } from "../support/InProcess.ts"
import {
  type Answer, fakeService, keyOfRole, outageKey, outageRecommendationId, overFakes, sendRequest
} from "./FakeService.ts"

const quota = 1_000_000
const handled = Layer.mergeAll(
  HttpApiBuilder.group(Api, "recommend", (group) => Effect.map(RecommendHttp.handlers, (own) => group.handleAll(own))),
  HttpApiBuilder.group(Api, "feedback", (group) => Effect.map(FeedbackHttp.handlers, (own) => group.handleAll(own))),
  HttpApiBuilder.group(Api, "models", (group) => Effect.map(ModelsHttp.handlers, (own) => group.handleAll(own))),
  HttpApiBuilder.group(Api, "insight", (group) => Effect.map(InsightHttp.handlers, (own) => group.handleAll(own))),
  HttpApiBuilder.group(Api, "reports", (group) => Effect.map(ReportsHttp.handlers, (own) => group.handleAll(own))),
  HttpApiBuilder.group(Api, "account", (group) => Effect.map(AccountHttp.handlers, (own) => group.handleAll(own))),
  HttpApiBuilder.group(Api, "system", (group) => Effect.map(SystemHttp.handlers, (own) => group.handleAll(own)))
)

/** HttpApi's refusal of a request that a schema does not take. */
const validation = HttpApiMiddleware.layerSchemaErrorTransform(Validation, ({ cause }) =>
  Effect.fail(new InvalidRequest({ detail: detailOf(cause.issue, snakeCase) })))

/** The same handlers as HttpApi itself serves them: a server that knows nothing of unknown fields. */
const reference = HttpRouter.serve(
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide(handled),
      Layer.provide([AuthorizationHttp.layer(quota), validation])
    ),
    Limits.layer(known)
  ).pipe(Layer.provide([layerAdmissions(), Verification.layer()])),
  { disableLogger: true, disableListenLog: true }
).pipe(overFakes(), Layer.provideMerge(listening()))

interface Sent {
  readonly path: string
  readonly text?: string
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

const ask = ({ headers, key, method = "POST", path, text }: Sent) =>
  sendRequest(method, path, {
    ...(key === undefined ? {} : { key }),
    init: {
      ...(text === undefined ? {} : { body: text }), headers: { "content-type": "application/json", ...headers }
    }
  })

type Warned = { readonly warnings?: ReadonlyArray<string> }

const isOfField = (warning: string): boolean => warning.startsWith("unknown_field:")

/** The answer's text without what it says of unknown fields. */
const withoutUnknownFields = ({ body, text }: Answer): string => {
  const { warnings = [], ...rest } = body as Warned
  if (!warnings.some(isOfField)) return text
  const others = warnings.filter((warning) => !isOfField(warning))
  // An answer for a workflow has warnings of unknown fields or none at all.
  return JSON.stringify("steps" in rest ? rest : { ...body, warnings: others })
}

const isOfUnknownField = (text: string): boolean => /Unknown (field|constraint)|did you mean/.test(text)

/** What a client sees of an answer, but for its times, and for what is left of the quota. */
const seen = (answer: Answer) => {
  const { "content-length": _length, date: _date, ratelimit = "", ...others } = Object.fromEntries(answer.headers)
  return {
    status: answer.status, headers: { ...others, ratelimit: ratelimit.replace(/\d+/g, "#") },
    // The middleware of all routes words what HttpApi answers without a text.
    text: answer.status === 415 ? "" : withoutUnknownFields(answer).replace(/"latency_ms":\d+/, "\"latency_ms\":#")
  }
}

/** Starts both servers; yields a function that asks both, and asserts that they answer alike. */
const bothServers = Effect.gen(function*() {
  const ours = yield* Layer.build(fakeService({ rateLimitPerMinute: quota }))
  const theirs = yield* Layer.build(reference)
  return Effect.fnUntraced(function*(sent: Sent) {
    const answer = yield* Effect.provideContext(ask(sent), Context.pick(HttpServer.HttpServer)(ours))
    const other = yield* Effect.provideContext(ask(sent), Context.pick(HttpServer.HttpServer)(theirs))
    if (answer.status === 400 && other.status !== 400) {
      assert.isTrue(isOfUnknownField(answer.text), answer.text)
      return "unknown field" as const
    }
    assert.deepStrictEqual(seen(answer), seen(other), JSON.stringify(sent).slice(0, 2_000))
    return answer.status
  })
})

/** Requests of a schema, whole and mutated, as texts. */
const textsOf = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Effect.map(Arbitrary.sampleEffect(Arbitrary.schema(schema), {
    // Identifiers without lone surrogates are found by trying.
    count: 6, seed: 5, maxDiscards: 1_000_000
  }), (values) =>
    values.flatMap((value, index) => {
      const sent = Schema.encodeSync(schema)(value)
      return [JSON.stringify(sent), ...Array.from({ length: 8 }, (_, at) => mutated(sent, drawOf(index, at)).text)]
    }))

const plain = JSON.stringify({ task: { task: "Sum a list" }, namespace: "x" })
const report = { recommendation_id: "r1", chosen_model_id: "small", outcome: "success" }
const bodies = {
  "/v1/recommend": plain,
  "/v1/feedback": JSON.stringify(report),
  "/v1/recommend/workflow": JSON.stringify({ steps: [{ step_id: "s", task: { task: "Sum a list" } }] }),
  "/v1/diagnose": JSON.stringify({ error_text: "TimeoutError" })
}
const paths = Object.keys(bodies) as ReadonlyArray<keyof typeof bodies>
const badBodies = [
  "", "null", "[]", "{", "\"x\"", "{}", "1e999", "[".repeat(40), `{"task":${"[".repeat(40)}${"]".repeat(40)}}`,
  JSON.stringify({ task: { task: "" } }), JSON.stringify({ task: { task: 1 }, explain: "x", max_candidates: 1e9 }),
  JSON.stringify(Array.from({ length: 30_000 }, () => 1)), JSON.stringify({ ...report, outcome: "great" }),
  JSON.stringify({ task: { task: "x", tags: Array.from({ length: 65 }, () => "t") } }),
  JSON.stringify({ task: { task: "x", tag: "t" }, constraint: {}, more: 1, fields: 2, than: 3, shown: 4 }),
  JSON.stringify({ task: { task: "x", hue: "t" }, more: 1, zzz: 2 }),
  JSON.stringify({ ...report, note: "x", step_outcomes: [{ step_id: "s", outcome: "success", why: 1 }] }),
  JSON.stringify({ task: { task: "boom" } }), JSON.stringify({ task: { task: "\ud800 lone" } }),
  JSON.stringify({ task: { task: "x" }, constraints: { candidate_models: [] } }),
  JSON.stringify({ ...report, recommendation_id: outageRecommendationId })
]
const reads = [
  "/v1/capabilities", "/v1/health", "/v1/models", "/v1/models?provider=acme", "/v1/health/models", "/v1/account/budget",
  "/v1/account/models", "/v1/account/guarantee", "/v1/savings", "/v1/savings?days=7&namespace=x&group_by=model",
  "/v1/savings?days=x", "/v1/savings?day=7", "/v1/savings?days=1&days=2", "/v1/savings?namespace=down",
  "/v1/calibration?days=7", "/v1/policy-value?days=7", "/v1/dashboard?days=7", "/v1/advice?days=7", "/v1/calls?days=7", "/v1/decision",
  "/v1/decision?recommendation_id=x", `/v1/decision?recommendation_id=${outageRecommendationId}`,
  "/v1/strategies?max_strategies=3&lesson_types=a&lesson_types=b", "/v1/strategies?max_strategies=0&namespace=%00",
  "/v1/memory/health?stale_threshold_days=1", "/v1/memory/health?namespace=down", "/v1/nothing"
]

describe("the routes of endpoints", () => {
  it.live("answer as HttpApi does, byte by byte, whatever the body is", () =>
    Effect.gen(function*() {
      const isSame = yield* bothServers
      const outcomes = new Set<number | "unknown field">()
      for (const text of badBodies) {
        for (const path of paths) outcomes.add(yield* isSame({ path, text }))
      }
      const schemas = {
        "/v1/recommend": RecommendRequest, "/v1/feedback": FeedbackRequest, "/v1/recommend/workflow": WorkflowRequest,
        "/v1/diagnose": DiagnoseRequest
      }
      for (const path of paths) {
        for (const text of yield* textsOf(schemas[path])) outcomes.add(yield* isSame({ path, text }))
      }
      assert.deepStrictEqual([...outcomes].sort(), [200, 400, 422, 500, 503, "unknown field"])
    }))

  it.live("answer as HttpApi does, whatever the key, the headers, the path and the method are", () =>
    Effect.gen(function*() {
      const isSame = yield* bothServers
      const outcomes = new Set<number | "unknown field">()
      for (const path of paths) {
        const text = bodies[path]
        for (const key of [null, "", "x", keyOfRole.read, keyOfRole.admin, outageKey]) {
          outcomes.add(yield* isSame({ path, text, key }))
        }
        const types = [
          "application/json; charset=utf-8", "Application/JSON ; a=b", "text/plain", "", "application/jsonp",
          "application/x-www-form-urlencoded"
        ]
        for (const type of types) outcomes.add(yield* isSame({ path, text, headers: { "content-type": type } }))
        yield* isSame({ path, text, headers: { "content-encoding": "gzip" } })
        yield* isSame({ path, text, headers: { "content-encoding": "identity" } })
        outcomes.add(yield* isSame({ path, text: "x".repeat(1_000_001) }))
        yield* isSame({ path, text, headers: { origin: "http://other", cookie: "a=b", te: "trailers" } })
        for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
          outcomes.add(yield* isSame({ path, text, method }))
        }
        for (const other of [`${path}/`, `${path}?a=b`, `/${path}`, path.toUpperCase()]) {
          yield* isSame({ path: other, text })
        }
      }
      assert.deepStrictEqual([...outcomes].sort(), [200, 204, 401, 403, 405, 413, 415, 503])
    }))

  it.live("answer reads as HttpApi does, whatever the query is", () =>
    Effect.gen(function*() {
      const isSame = yield* bothServers
      const outcomes = new Set<number | "unknown field">()
      for (const path of reads) {
        for (const key of [keyOfRole.use, keyOfRole.read, null]) {
          outcomes.add(yield* isSame({ path, method: "GET", key }))
        }
        outcomes.add(yield* isSame({ path, method: "HEAD" }))
      }
      assert.deepStrictEqual([...outcomes].sort(), [200, 400, 401, 404, 503])
    }))

  it.effect("end the start where an endpoint has a middleware that they do not know", () =>
    Effect.gen(function*() {
      class Strange extends HttpApiMiddleware.Service<Strange>()("test/Strange") {}
      const group = HttpApiGroup.make("a").add(HttpApiEndpoint.get("b", "/b", { success: Schema.String })).middleware(Strange)
      const routes = Endpoints.layer(HttpApi.make("x").add(group), { a: Effect.succeed({ b: () => Effect.succeed("c") }) })
      const exit = yield* Effect.exit(Layer.build(routes.pipe(
        Layer.provide(AuthorizationHttp.layer(null)), Layer.provide([layerAdmissions(), Verification.layer()]),
        Layer.provide(HttpRouter.layer), overFakes()
      )))
      assert.match(String(exit), /has a middleware that no route has/)
    }).pipe(Effect.scoped))
})
