import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { sendRequest, goodKey, outageKey, fakeService } from "./FakeService.ts"

const fieldNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  RecommendRequest: [
    "task", "cost_quality_tradeoff", "constraints", "user_id", "namespace", "max_candidates",
    "allow_llm_escalation", "explain", "optimize_for", "detail", "shadow", "baseline_model_id",
    "incumbent_model_id", "guarantee", "task_id", "attempts", "verification", "success_value_usd", "max_attempts",
    "max_total_cost_usd", "inferred_requirements"
  ],
  RecommendResponse: [
    "recommendation_id", "recommended_model", "recommended_rank", "ranked", "fallback_model", "confidence", "decision_basis",
    "threshold_used", "success_value_used_usd", "classified_task_type", "classified_difficulty", "catalog_version", "catalog_stale",
    "latency_ms", "warnings", "selection_policy", "guarantee", "plan", "attempt_number", "is_retry",
    "switch_reason", "untried_cheaper", "recommended_actions", "escalation_reasons"
  ],
  FeedbackRequest: [
    "recommendation_id", "chosen_model_id", "outcome", "quality_score", "evidence_source", "error_cause",
    "input_tokens", "output_tokens", "actual_cost_usd", "latency_ms", "iterations", "signals", "chosen_effort",
    "step_outcomes", "verified_in_production", "judged", "task_id", "notes", "idempotency_key",
    "cached_input_tokens", "reasoning_tokens", "time_to_first_token_ms",
    "provider_status", "retry_after_ms", "cache_write_input_tokens", "cache_write_hour_input_tokens", "service_tier",
    "web_searches"
  ],
  FeedbackResponse: [
    "accepted", "record_id", "reinforced_entry_ids", "updated_confidence", "reflection_triggered",
    "lesson_promoted", "step_outcomes_recorded", "warnings", "cost_source", "computed_cost_usd"
  ]
}

const operations = [
  ["post", "/v1/recommend"], ["post", "/v1/recommend/workflow"], ["post", "/v1/feedback"], ["get", "/v1/models"], ["get", "/v1/health/models"],
  ["get", "/v1/strategies"], ["get", "/v1/savings"], ["get", "/v1/calibration"], ["get", "/v1/policy-value"],
  ["get", "/v1/dashboard"], ["get", "/v1/advice"], ["get", "/v1/calls"], ["get", "/v1/retirement"], ["get", "/v1/decision"],
  ["get", "/v1/observed-calls"],
  ["post", "/v1/diagnose"], ["get", "/v1/memory/health"], ["get", "/v1/capabilities"], ["get", "/v1/health"],
  ["get", "/v1/account/models"], ["put", "/v1/account/models"], ["get", "/v1/account/budget"],
  ["get", "/v1/account/guarantee"]
] as const

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, unknown> }>>>>
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> }
}

const keysOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap(keysOf)
    : value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
    : []

layer(fakeService(), { excludeTestServices: true })("the wire", (it) => {
  it.effect("is snake_case in both directions, with the specification's defaults", () =>
    Effect.gen(function*() {
      const json = { task: { task: "x", task_type: "code", expected_input_tokens: 5 }, cost_quality_tradeoff: 7 }
      const { body, status } = yield* sendRequest("POST", "/v1/recommend", { json })
      assert.strictEqual(status, 200)
      // A short answer alone says the place of its pick.
      assert.sameMembers([...Object.keys(body), "recommended_rank"], [...fieldNames["RecommendResponse"] ?? []])
      for (const key of keysOf(body)) assert.match(key, /^[a-z0-9_]+$/)
      const seen = JSON.parse((body["recommended_model"] as { rationale: string }).rationale)
      assert.deepInclude(seen, {
        costQualityTradeoff: 7, maxCandidates: 8, allowLlmEscalation: true, explain: true, namespace: null
      })
      assert.deepInclude(seen.task, { taskType: "code", difficulty: null, expectedInputTokens: 5, tags: [] })
    }))

  it.effect("ignores unknown fields and query parameters, also camelCase spellings of a task's fields", () =>
    Effect.gen(function*() {
      const json = { task: { task: "x", taskType: "qa" }, candidatesMax: 3, propensity: 1, __proto__x: {} }
      const { body, status } = yield* sendRequest("POST", "/v1/recommend", { json })
      assert.strictEqual(status, 200)
      const seen = JSON.parse((body["recommended_model"] as { rationale: string }).rationale)
      assert.strictEqual(seen.maxCandidates, 8)
      assert.strictEqual(seen.task.taskType, null)
      assert.notProperty(seen, "propensity")
      assert.strictEqual((yield* sendRequest("GET", "/v1/models?colour=red")).status, 200)
    }))

  it.effect("scrubs NUL and lone surrogates from task text instead of refusing them", () =>
    Effect.gen(function*() {
      const { body, status } = yield* sendRequest("POST", "/v1/recommend", { json: { task: { task: "a\u0000b\ud800c" } } })
      assert.strictEqual(status, 200)
      const seen = JSON.parse((body["recommended_model"] as { rationale: string }).rationale)
      assert.strictEqual(seen.task.task, "ab\ufffdc")
    }))

  it.effect("accepts any text as a recommendation's id, because an unknown id is not an error", () =>
    Effect.gen(function*() {
      for (const id of ["", "x".repeat(1_000), "../etc", "01a2015d"]) {
        const json = { recommendation_id: id, chosen_model_id: "small", outcome: "success" }
        assert.strictEqual((yield* sendRequest("POST", "/v1/feedback", { json })).status, 200, id)
      }
    }))

  it.effect("uses the last of two equal keys", () =>
    Effect.gen(function*() {
      const init = {
        body: `{"task":{"task":"x"},"max_candidates":3,"max_candidates":4}`,
        headers: { "content-type": "application/json" }
      }
      const { body } = yield* sendRequest("POST", "/v1/recommend", { init })
      assert.strictEqual(JSON.parse((body["recommended_model"] as { rationale: string }).rationale).maxCandidates, 4)
    }))

  it.effect("takes lesson_types once or repeated, and defaults the ranges of queries", () =>
    Effect.gen(function*() {
      const seen = (answer: { readonly body: Record<string, unknown> }) =>
        JSON.parse((answer.body["strategies"] as ReadonlyArray<{ description: string }>)[0]?.description ?? "{}")
      assert.deepStrictEqual(seen(yield* sendRequest("GET", "/v1/strategies")), { lessonTypes: [], limit: 5 })
      const one = yield* sendRequest("GET", "/v1/strategies?lesson_types=success&max_strategies=50")
      assert.deepStrictEqual(seen(one), { lessonTypes: ["success"], limit: 50 })
      const two = yield* sendRequest("GET", "/v1/strategies?lesson_types=success&lesson_types=failure")
      assert.deepStrictEqual(seen(two).lessonTypes, ["success", "failure"])
      const savings = yield* sendRequest("GET", "/v1/savings?group_by=task_type")
      assert.deepInclude(savings.body, { namespace: null, days: 30, group_by: "task_type" })
      assert.strictEqual((yield* sendRequest("GET", "/v1/calibration?days=0.5")).body["days"], 0.5)
      assert.strictEqual((yield* sendRequest("GET", "/v1/policy-value")).body["org_id"], "acme")
      const dashboard = yield* sendRequest("GET", "/v1/dashboard?namespace=support")
      assert.deepInclude(dashboard.body, { namespace: "support", days: 30, cluster_models_left_out: 0, decisions: [] })
      for (const key of keysOf(dashboard.body)) assert.match(key, /^[a-z0-9_]+$/)
    }))

  it.effect("describes the server's features and health without a key", () =>
    Effect.gen(function*() {
      const capabilities = yield* sendRequest("GET", "/v1/capabilities", { key: null })
      assert.deepInclude(capabilities.body, { plan: false, attempts: true, workflow: true })
      for (const key of [null, "bad"]) {
        const { body, status } = yield* sendRequest("GET", "/v1/health", { key })
        assert.deepStrictEqual([status, body["status"], body["auth"]], [200, "ok", "passthrough"])
        assert.deepInclude(body["memory"], { reachable: null, scope: "unauthenticated" })
      }
      const known = yield* sendRequest("GET", "/v1/health", { key: goodKey })
      assert.deepInclude(known.body["memory"], {
        reachable: true, endpoint: "local", org_id: "acme", outbox_waiting: null, scope: "account"
      })
      const blind = yield* sendRequest("GET", "/v1/health", { key: outageKey })
      assert.deepStrictEqual([blind.status, blind.body["status"]], [200, "degraded"])
    }))

  it.effect("is documented with every operation's errors and every field's wire name", () =>
    Effect.gen(function*() {
      const { body, status } = yield* sendRequest("GET", "/openapi.json", { key: null })
      assert.strictEqual(status, 200)
      const document = body as unknown as Document
      assert.sameMembers(Object.keys(document.paths), [...new Set(operations.map(([, path]) => path))])
      for (const [method, path] of operations) {
        const statuses = Object.keys(document.paths[path]?.[method]?.responses ?? {})
        const isOpen = ["/v1/health", "/v1/capabilities"].includes(path)
        assert.includeMembers(statuses, isOpen ? ["200"] : ["200", "400", "401"], path)
        if (path.startsWith("/v1/recommend")) assert.include(statuses, "422")
      }
      for (const [name, fields] of Object.entries(fieldNames)) {
        const schema = document.components.schemas[name] ?? document.components.schemas[`${name}Encoded`]
        assert.sameMembers(Object.keys(schema?.properties ?? {}), [...fields], name)
      }
    }))

  it.effect("has a document that is compressed where accepted, and answers 304 to a reader that has it", () =>
    Effect.gen(function*() {
      const ask = (headers: Readonly<Record<string, string>>) =>
        sendRequest("GET", "/openapi.json", { key: null, init: { headers } })
      const plain = yield* ask({ "accept-encoding": "identity" })
      assert.deepStrictEqual(["content-type", "cache-control", "vary", "content-encoding"].map((name) => plain.headers.get(name)),
        ["application/json", "no-cache", "accept-encoding", null])
      const gzipped = yield* ask({ "accept-encoding": "gzip" })
      assert.strictEqual(gzipped.headers.get("content-encoding"), "gzip")
      assert.strictEqual(gzipped.text, plain.text)
      assert.isBelow(Number(gzipped.headers.get("content-length")), plain.text.length / 4)
      const same = yield* ask({ "if-none-match": plain.headers.get("etag") ?? "" })
      assert.deepStrictEqual([same.status, same.text], [304, ""])
    }))

  it.effect("has a reference made once and compressed, with scripts of known hashes and its own origin", () =>
    Effect.gen(function*() {
      const ask = (headers: Readonly<Record<string, string>>) => sendRequest("GET", "/docs/reference", { key: null, init: { headers } })
      // The first readers come at once, and one of them leaves.
      const [plain] = yield* Effect.all(
        [ask({ "accept-encoding": "identity" }), ask({}).pipe(Effect.timeoutOption("1 millis")), ask({})],
        { concurrency: 3 }
      )
      assert.strictEqual(plain.headers.get("content-encoding"), null)
      const policy = plain.headers.get("content-security-policy") ?? ""
      for (const [, source = ""] of plain.text.matchAll(/<script>([\s\S]*?)<\/script>/g)) {
        assert.include(policy, createHash("sha256").update(source).digest("base64"))
      }
      assert.notMatch(policy, /unsafe-eval|script-src[^;]*unsafe/)
      assert.include(policy, "default-src 'self'")
      assert.notMatch(plain.text, /<(script|link|img)[^>]+(src|href)=["']?https?:|@import\s+(url\()?["']?https?:/i)
      const gzipped = yield* ask({ "accept-encoding": "br, gzip" })
      assert.strictEqual(gzipped.headers.get("content-encoding"), "gzip")
      assert.strictEqual(gzipped.text, plain.text)
      assert.strictEqual((yield* ask({ "accept-encoding": "gzip;q=0, *" })).headers.get("content-encoding"), null)
      const same = yield* ask({ "if-none-match": plain.headers.get("etag") ?? "" })
      assert.deepStrictEqual([same.status, same.text], [304, ""])
      // The script, which is most of it, is beside the page under a name that its content gives.
      assert.isBelow(plain.text.length, 400_000)
      const [, source = ""] = /<script src="([^"]+)"><\/script>/.exec(plain.text) ?? []
      const { pathname, search } = new URL(source, "http://service/docs/reference")
      const path = `${pathname}${search}`
      const script = yield* sendRequest("GET", path, { key: null })
      assert.strictEqual(script.headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.include(script.text, "createApiReference")
    }))
})

layer(fakeService({ isMemoryReachable: false }), { excludeTestServices: true })("a memory outage", (it) => {
  it.effect("reports a memory outage as degraded health to requests with a key only", () =>
    Effect.gen(function*() {
      const known = yield* sendRequest("GET", "/v1/health")
      assert.deepStrictEqual([known.status, known.body["status"]], [200, "degraded"])
      assert.deepInclude(known.body["memory"], { reachable: false, org_id: "acme" })
      assert.strictEqual((yield* sendRequest("GET", "/v1/health", { key: null })).body["status"], "ok")
    }))
})
