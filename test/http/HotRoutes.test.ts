import { assert, describe, layer } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { FeedbackRequest } from "../../src/domain/Feedback.ts"
import { RecommendRequest } from "../../src/domain/Recommendation.ts"
import { drawOf } from "../fuzz/draw.ts"
import { mutated } from "../fuzz/mutations.ts"
import { type Answer, fakeService, keyOfRole, outageKey, outageRecommendationId, sendRequest } from "./FakeService.ts"

/** The media type whose requests the hot route answers, and another spelling, which it leaves to the router. */
const hotType = "application/json"
const generalType = "application/json; charset=utf-8"

interface Sent {
  readonly path: string
  readonly text: string
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

const post = ({ headers, key, method = "POST", path, text }: Sent, type: string) =>
  sendRequest(method, path, {
    ...(key === undefined ? {} : { key }),
    init: { body: text, headers: { "content-type": type, ...headers } }
  })

/** What a client sees of an answer, but for its time and for what is left of the quota. */
const seen = ({ headers, status, text }: Answer) => {
  const { date: _date, ratelimit = "", ...others } = Object.fromEntries(headers)
  return { status, headers: { ...others, ratelimit: ratelimit.replace(/\d+/g, "#") }, text }
}

const isSameBothWays = Effect.fnUntraced(function*(sent: Sent) {
  const hot = seen(yield* post(sent, hotType))
  assert.deepStrictEqual(hot, seen(yield* post(sent, generalType)), JSON.stringify(sent).slice(0, 2_000))
  return hot.status
})

/** Requests of a schema, whole and mutated, as texts. */
const textsOf = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Effect.map(Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 6, seed: 5 }), (values) =>
    values.flatMap((value, index) => {
      const sent = Schema.encodeSync(schema)(value)
      return [JSON.stringify(sent), ...Array.from({ length: 8 }, (_, at) => mutated(sent, drawOf(index, at)).text)]
    }))

const plain = JSON.stringify({ task: { task: "Sum a list" }, namespace: "x" })
const report = { recommendation_id: "r1", chosen_model_id: "small", outcome: "success" }
const paths = ["/v1/recommend", "/v1/feedback"]
const badBodies = [
  "", "null", "[]", "{", "\"x\"", "{}", "1e999", "[".repeat(40), `{"task":${"[".repeat(40)}${"]".repeat(40)}}`,
  JSON.stringify({ task: { task: "" } }), JSON.stringify({ task: { task: 1 }, explain: "x", max_candidates: 1e9 }),
  JSON.stringify(Array.from({ length: 30_000 }, () => 1)), JSON.stringify({ ...report, outcome: "great" }),
  JSON.stringify({ task: { task: "x", tags: Array.from({ length: 65 }, () => "t") } }),
  JSON.stringify({ task: { task: "x", tag: "t" }, constraint: {}, more: 1, fields: 2, than: 3, shown: 4 }),
  JSON.stringify({ ...report, note: "x", step_outcomes: [{ step_id: "s", outcome: "success", why: 1 }] }),
  JSON.stringify({ task: { task: "boom" } }), JSON.stringify({ task: { task: "\ud800 lone" } }),
  JSON.stringify({ task: { task: "x" }, constraints: { candidate_models: [] } }),
  JSON.stringify({ ...report, recommendation_id: outageRecommendationId })
]

describe("the hot route", () => {
  layer(fakeService({ rateLimitPerMinute: 1_000_000 }))((it) => {
    it.effect("answers as the router does, byte by byte, whatever the body is", () =>
      Effect.gen(function*() {
        const statuses = new Set<number>()
        for (const text of badBodies) {
          for (const path of paths) statuses.add(yield* isSameBothWays({ path, text }))
        }
        for (const text of yield* textsOf(RecommendRequest)) {
          statuses.add(yield* isSameBothWays({ path: "/v1/recommend", text }))
        }
        for (const text of yield* textsOf(FeedbackRequest)) {
          statuses.add(yield* isSameBothWays({ path: "/v1/feedback", text }))
        }
        assert.deepStrictEqual([...statuses].sort(), [200, 400, 422, 500, 503])
      }))

    it.effect("answers as the router does, whatever the key, the headers and the method are", () =>
      Effect.gen(function*() {
        for (const path of paths) {
          const text = path === "/v1/recommend" ? plain : JSON.stringify(report)
          for (const key of [null, "", "x", keyOfRole.read, keyOfRole.admin, outageKey]) {
            yield* isSameBothWays({ path, text, key })
          }
          yield* isSameBothWays({ path, text, headers: { "content-encoding": "gzip" } })
          yield* isSameBothWays({ path, text, headers: { "content-encoding": "identity" } })
          yield* isSameBothWays({ path, text: "x".repeat(1_000_001) })
          yield* isSameBothWays({ path, text, headers: { origin: "http://other", cookie: "a=b", te: "trailers" } })
          for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
            yield* isSameBothWays({ path, text, method })
          }
          for (const other of [`${path}/`, `${path}?a=b`, `/${path}`, path.toUpperCase()]) {
            yield* isSameBothWays({ path: other, text })
          }
        }
      }))
  })

  layer(fakeService({ rateLimitPerMinute: 3 }))((it) => {
    it.effect("shares the account's quota with the router", () =>
      Effect.gen(function*() {
        const sent = { path: "/v1/recommend", text: plain }
        const answers = [
          yield* post(sent, hotType), yield* post(sent, generalType), yield* post(sent, hotType),
          yield* post(sent, hotType), yield* post(sent, generalType)
        ]
        assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 429, 429])
        assert.deepStrictEqual(
          answers.map(({ headers }) => headers.get("ratelimit")?.split(";")[1]),
          ["r=2", "r=1", "r=0", "r=0", "r=0"]
        )
        assert.strictEqual(answers[3]?.text, answers[4]?.text)
      }))
  })

  const overloaded = { heapShare: 0.99, processorShare: 0, loopDelayMs: 0, loopShare: 0 }
  layer(fakeService({ load: () => overloaded }))((it) => {
    it.effect("refuses for memory as the router does", () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* isSameBothWays({ path: "/v1/recommend", text: plain }), 503)
        assert.strictEqual(yield* isSameBothWays({ path: "/v1/feedback", text: JSON.stringify(report) }), 503)
      }))
  })
})
