import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer, assertProblem as isProblem, sendRequest, outageKey, outageRecommendationId, fakeService
} from "./FakeService.ts"

const task = { task: "sum a list" }
const recommend = "/v1/recommend"
const feedback = { recommendation_id: "r1", chosen_model_id: "small", outcome: "success" }

const raw = (body: BodyInit, headers: Record<string, string> = {}, path = recommend) =>
  sendRequest("POST", path, { init: { body, headers: { "content-type": "application/json", ...headers } } })

layer(fakeService(), { excludeTestServices: true })("refusals", (it) => {
  describe("of a request that is not valid", () => {
    for (
      const [json, detail] of [
        [{}, "task: Missing key"],
        [{ task: {} }, "task.task: Missing key"],
        [{ task: { task: "" } }, "task.task"],
        [{ task: { task: "x", task_type: "cooking" } }, "task.task_type"],
        [{ task: { task: "x", expected_input_tokens: -1 } }, "task.expected_input_tokens"],
        [{ task, cost_quality_tradeoff: 11 }, "cost_quality_tradeoff"],
        [{ task, max_candidates: 0 }, "max_candidates"],
        [{ task, max_candidates: 65 }, "max_candidates"],
        [{ task, max_candidates: 1.5 }, "max_candidates"],
        [{ task, constraints: { min_quality: 1.1 } }, "constraints.min_quality"],
        [{ task, constraints: { max_cost_per_call: -1 } }, "constraints.max_cost_per_call"],
        [{ task, allow_llm_escalation: "yes" }, "allow_llm_escalation"],
        [{ task, namespace: "a\u0000b" }, "namespace"],
        [{ task, user_id: "\ud800" }, "user_id"],
        [{ task, baseline_model_id: "a\u0000" }, "baseline_model_id"],
        [{ task, constraints: { candidate_models: ["\udfff"] } }, "constraints.candidate_models"],
        [{ task: { task: "x", difficulty: "insane" } }, 'task.difficulty: Expected "trivial" | "easy" | "medium"'],
        [{ task: { task: "x", difficulty: 3 } }, 'task.difficulty: Expected "trivial" | "easy" | "medium"'],
        [{ task: { task: "x", task_type: "cooking" } }, 'task.task_type: Expected "code" | "summarization"'],
        [[], "object"]
      ] as const
    ) {
      it.effect(`400 names the field of ${JSON.stringify(json)}`, () =>
        Effect.gen(function*() {
          isProblem(yield* sendRequest("POST", recommend, { json }), 400, "Invalid request", detail)
        }))
    }

    it.effect("a text of NULs only is refused under its name on the wire", () =>
      Effect.gen(function*() {
        const answer = yield* sendRequest("POST", "/v1/diagnose", { json: { error_text: "\u0000" } })
        isProblem(answer, 400, "Invalid request", "error_text: Expected")
      }))

    it.effect("all wrong fields are named at once, up to ten", () =>
      Effect.gen(function*() {
        const json = { task: { task: 5, difficulty: "insane" }, cost_quality_tradeoff: 11, max_candidates: 0 }
        const several = yield* sendRequest("POST", recommend, { json })
        for (const field of ["task.task", "task.difficulty", "cost_quality_tradeoff", "max_candidates"]) {
          isProblem(several, 400, "Invalid request", `${field}: Expected`)
        }
        const many = yield* sendRequest("POST", recommend, { json: { task: { task: "x", tags: Array(60).fill(1) } } })
        isProblem(many, 400, "Invalid request", /tags\.9: [^;]*; and more$/)
      }))

    it.effect("an enum of a feedback or of a query is refused with the values that it allows", () =>
      Effect.gen(function*() {
        const json = { ...feedback, outcome: "meh", evidence_source: "rumour" }
        const answer = yield* sendRequest("POST", "/v1/feedback", { json })
        isProblem(answer, 400, "Invalid request", /outcome: Expected "success" \| .*evidence_source: Expected "/)
        const grouped = yield* sendRequest("GET", "/v1/savings?group_by=colour")
        isProblem(grouped, 400, "Invalid request", 'group_by: Expected "cluster" | "task_type" | "lane"')
      }))

    it.effect("an amount past a million dollars is refused, naming its field", () =>
      Effect.gen(function*() {
        const json = { ...feedback, actual_cost_usd: 1e16 }
        isProblem(yield* sendRequest("POST", "/v1/feedback", { json }), 400, "Invalid request", "actual_cost_usd")
        const dear = { task, constraints: { max_cost_per_call: 1e16 } }
        const answer = yield* sendRequest("POST", recommend, { json: dear })
        isProblem(answer, 400, "Invalid request", "constraints.max_cost_per_call")
      }))

    it.effect("a number beyond the finite range is refused, naming its field", () =>
      Effect.gen(function*() {
        for (const huge of ["1e400", "-1e400"]) {
          const answer = yield* raw(`{"task":{"task":"x"},"cost_quality_tradeoff":${huge}}`)
          isProblem(answer, 400, "Invalid request", "cost_quality_tradeoff")
        }
      }))

    it.effect("malformed, empty and non-UTF-8 bodies are 400", () =>
      Effect.gen(function*() {
        isProblem(yield* raw("{\"task\":"), 400, "Invalid request", "valid JSON")
        isProblem(yield* raw(""), 400, "Invalid request")
        const bytes = new Uint8Array([...new TextEncoder().encode("{\"task\":{\"task\":\""), 0xff, 0x22, 0x7d, 0x7d])
        isProblem(yield* raw(bytes), 400, "Invalid request", "UTF-8")
      }))

    it.effect("nesting past 32 levels is 400 and names the limit, a million levels included", () =>
      Effect.gen(function*() {
        for (const depth of [32, 400_000]) {
          const answer = yield* raw(`{"task":{"task":"x"},"extra":${"[".repeat(depth)}${"]".repeat(depth)}}`)
          isProblem(answer, 400, "Invalid request", "32")
        }
        const within = yield* raw(`{"task":{"task":"x"},"extra":${"[".repeat(31)}${"]".repeat(31)}}`)
        assert.strictEqual(within.status, 200)
      }))

    it.effect("a body of more than 20,000 values is 400 with the limit, and one of 20,000 is accepted", () =>
      Effect.gen(function*() {
        const holding = (count: number) => JSON.stringify({ task: { task: "x" }, extra: Array(count - 4).fill(0) })
        const body = { task: { task: "x" }, extra: Array(20_000 - 4).fill(0) }
        assert.strictEqual((yield* raw(JSON.stringify(body))).status, 200)
        isProblem(yield* raw(holding(20_001)), 400, "Invalid request", "more than 20000 values")
        const megabyte = `{"recommendation_id":"r","step_outcomes":[${"{},".repeat(330_000)}{}]}`
        isProblem(yield* raw(megabyte, {}, "/v1/feedback"), 400, "Invalid request", "more than 20000 values")
      }))

    it.effect("an array that is too long is refused for its length alone, naming the field", () =>
      Effect.gen(function*() {
        for (
          const [path, json, field] of [
            [recommend, { task: { task: "x", tags: Array(65).fill(1) } }, "task.tags"],
            [recommend, { task, constraints: { candidate_models: Array(1_001).fill({}) } }, "constraints.candidate_models"],
            ["/v1/recommend/workflow", { steps: Array(101).fill({}) }, "steps"]
          ] as const
        ) {
          const answer = yield* sendRequest("POST", path, { json })
          isProblem(answer, 400, "Invalid request", new RegExp(`^${field}: Expected [^;]* at most (64|1000|100)$`))
        }
      }))

    it.effect("a feedback's step outcomes past the 32nd are counted and not read", () =>
      Effect.gen(function*() {
        const step = { step_id: "a", outcome: "success" }
        const json = { ...feedback, step_outcomes: [...Array(32).fill(step), ...Array(5_000).fill({ odd: 1 })] }
        const answer = yield* sendRequest("POST", "/v1/feedback", { json })
        assert.deepStrictEqual([answer.status, answer.body["step_outcomes_recorded"]], [200, 5_032])
        const wrong = { ...feedback, step_outcomes: [...Array(31).fill(step), {}, step] }
        isProblem(yield* sendRequest("POST", "/v1/feedback", { json: wrong }), 400, "Invalid request", "step_outcomes.31.step_id")
      }))

    it.effect("a refusal repeats nothing of the megabyte that was sent", () =>
      Effect.gen(function*() {
        const long = "x".repeat(450_000)
        for (
          const [path, json] of [
            [recommend, { task: { task: "x", task_type: long } }],
            [recommend, { task: { task: "x", tags: [long] } }],
            [recommend, { task, constraints: { candidate_models: [long] } }],
            [recommend, { task, cost_quality_tradeoff: long }],
            [recommend, { task: { task: [long] } }],
            ["/v1/feedback", { ...feedback, outcome: long, idempotency_key: long }],
            ["/v1/feedback", { ...feedback, step_outcomes: [{ step_id: long, outcome: { [long]: 1 } }] }],
            ["/v1/diagnose", { error_text: "x", error_type: long }]
          ] as const
        ) {
          const answer = yield* sendRequest("POST", path, { json })
          isProblem(answer, 400, "Invalid request")
          assert.isBelow(answer.text.length, 2_000)
        }
      }))

    it.effect("query parameters out of range are 400", () =>
      Effect.gen(function*() {
        for (
          const [path, field] of [
            ["/v1/savings?days=0", "days"],
            ["/v1/savings?days=366", "days"],
            ["/v1/dashboard?days=-1", "days"],
            ["/v1/dashboard?days=366", "days"],
            ["/v1/advice?days=0", "days"],
            ["/v1/policy-value?days=x", "days"],
            ["/v1/calibration?days=366", "days"],
            ["/v1/calibration?days=soon", "days"],
            ["/v1/policy-value?days=Infinity", "days"],
            ["/v1/savings?group_by=colour", "group_by"],
            ...["2026-11-02/2026-11-01", "2026-02-29/2026-03-01", "2025-01-01/2026-01-02", "2026-11-01", "", "a/b"]
              .map((dates) => [`/v1/savings?dates=${dates}`, "dates"] as const),
            ["/v1/savings?tag=%00", "tag"],
            ["/v1/dashboard?user_id=", "user_id"],
            ["/v1/policy-value?model=%ED%A0%80&tag=%00", "tag"],
            ["/v1/dashboard?dates=2026-11-01%002026-11-02", "dates"],
            ["/v1/calibration?model=", "model"],
            ["/v1/policy-value?tag=", "tag"],
            ["/v1/decision", "recommendation_id"],
            ["/v1/decision?recommendation_id=r1", "recommendation_id"],
            ["/v1/strategies?max_strategies=51", "max_strategies"],
            ["/v1/strategies?max_strategies=0", "max_strategies"],
            ["/v1/memory/health?stale_threshold_days=366", "stale_threshold_days"],
            ["/v1/memory/health?stale_threshold_days=1.5", "stale_threshold_days"],
            ["/v1/models?max_cost=cheap", "max_cost"],
            ["/v1/models?task_type=cooking", "task_type"],
            ["/v1/strategies?namespace=a%00b", "namespace"]
          ] as const
        ) isProblem(yield* sendRequest("GET", path), 400, "Invalid request", field)
      }))
  })

  it.effect("diagnose and memory health answer empty in an outage of keys or of memory", () =>
    Effect.gen(function*() {
      for (const [key, namespace] of [[outageKey, "x"], [undefined, "down"]] as const) {
        const options = key === undefined ? {} : { key }
        const lessons = yield* sendRequest("POST", "/v1/diagnose", { ...options, json: { error_text: "boom", namespace } })
        assert.strictEqual(lessons.status, 200)
        assert.deepStrictEqual(lessons.body, {
          namespace, lane: `sextant:${namespace}`, failure_lessons: [], summary: "", total_failure_lessons: 0,
          warnings: ["memory_unavailable"]
        })
        const health = yield* sendRequest("GET", `/v1/memory/health?namespace=${namespace}`, options)
        assert.strictEqual(health.status, 200)
        assert.deepStrictEqual(health.body, {
          namespace, lane: `sextant:${namespace}`, warnings: ["memory_unavailable"], entry_counts: {}, stale_entries: 0,
          contradictions: 0, low_confidence_count: 0, promotion_candidates: 0, section_health: []
        })
      }
    }))

  it.effect("strategies, reports and feedback are 503 with Retry-After while their store is unavailable", () =>
    Effect.gen(function*() {
      for (const path of ["strategies", "savings", "calibration", "policy-value", "dashboard"]) {
        isProblem(yield* sendRequest("GET", `/v1/${path}?namespace=down`), 503, "Service unavailable")
      }
      const answer = yield* sendRequest("POST", "/v1/feedback", { json: { ...feedback, recommendation_id: outageRecommendationId } })
      isProblem(answer, 503, "Service unavailable")
      assert.notInclude(answer.text, "the store is out")
    }))

  it.effect("constraints that leave no model are 422, naming the step of a workflow", () =>
    Effect.gen(function*() {
      const constraints = { candidate_models: [] }
      const one = yield* sendRequest("POST", recommend, { json: { task, constraints } })
      isProblem(one, 422, "No candidate models", /^No models match the supplied constraints$/)
      const steps = [{ step_id: "plan", task, constraints }]
      const many = yield* sendRequest("POST", "/v1/recommend/workflow", { json: { steps } })
      isProblem(many, 422, "No candidate models", /^No models match the supplied constraints of step "plan"$/)
    }))

  it.effect("an unknown path is 404, a known one with another method 405 with Allow", () =>
    Effect.gen(function*() {
      isProblem(yield* sendRequest("GET", "/v1/nothing"), 404, "Not found")
      isProblem(yield* sendRequest("GET", "/v2/recommend"), 404, "Not found")
      const get = yield* sendRequest("GET", recommend)
      isProblem(get, 405, "Method not allowed")
      assert.strictEqual(get.headers.get("allow"), "POST, OPTIONS")
      const remove = yield* sendRequest("DELETE", "/v1/models?x=1")
      isProblem(remove, 405, "Method not allowed")
      assert.strictEqual(remove.headers.get("allow"), "GET, HEAD, OPTIONS")
    }))

  it.effect("HEAD answers as GET without a body; OPTIONS lists the methods", () =>
    Effect.gen(function*() {
      const head = yield* sendRequest("HEAD", "/v1/health")
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.strictEqual((yield* sendRequest("HEAD", recommend)).status, 405)
      const options = yield* sendRequest("OPTIONS", recommend)
      assert.deepStrictEqual([options.status, options.headers.get("allow")], [204, "POST, OPTIONS"])
      assert.strictEqual((yield* sendRequest("OPTIONS", "/v1/nothing")).status, 404)
    }))

  it.effect("a body over 1 MB is 413, declared or chunked", () =>
    Effect.gen(function*() {
      const large = JSON.stringify({ task: { task: "x".repeat(1_000_001) } })
      isProblem(yield* raw(large), 413, "Payload too large")
      const chunks = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let i = 0; i < 12; i++) controller.enqueue(new Uint8Array(100_000).fill(0x20))
          controller.close()
        }
      })
      const init = { body: chunks, duplex: "half", headers: { "content-type": "application/json" } } as RequestInit
      isProblem(yield* sendRequest("POST", recommend, { init }), 413, "Payload too large")
      const fits = JSON.stringify({ task: { task: "x".repeat(999_900) } })
      assert.strictEqual((yield* raw(fits)).status, 200)
    }))

  it.effect("another content type or an encoded body is 415", () =>
    Effect.gen(function*() {
      isProblem(yield* raw("task=x", { "content-type": "text/plain" }), 415, "Unsupported media type")
      isProblem(yield* raw("{}", { "content-encoding": "gzip" }), 415, "Unsupported media type", "gzip")
      const json = JSON.stringify({ task })
      assert.strictEqual((yield* raw(json, { "content-encoding": "identity" })).status, 200)
      assert.strictEqual((yield* raw(json, { "content-type": "application/json; charset=utf-8" })).status, 200)
    }))

  it.effect("a defect is a 500 that does not contain its cause", () =>
    Effect.gen(function*() {
      const answer = yield* sendRequest("POST", recommend, { json: { task: { task: "boom" } } })
      isProblem(answer, 500, "Internal server error")
      assert.notInclude(answer.text, "secret detail")
      assert.notInclude(answer.text, "    at ")
    }))
})

layer(fakeService({ rateLimitPerMinute: 2 }), { excludeTestServices: true })("a quota", (it) => {
  const policyOf = ({ headers }: Answer) => [headers.get("ratelimit-policy"), headers.get("ratelimit")]

  it.effect("of two requests per minute refuses the third with 429 and Retry-After", () =>
    Effect.gen(function*() {
      const first = yield* sendRequest("GET", "/v1/models")
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual(policyOf(first), [`"requests";q=2;w=60`, `"requests";r=1;t=30`])
      assert.strictEqual((yield* sendRequest("GET", "/v1/memory/health")).status, 200)
      const third = yield* sendRequest("GET", "/v1/models")
      isProblem(third, 429, "Too many requests")
      assert.match(policyOf(third)[1] ?? "", /^"requests";r=0;t=60$/)
      assert.isAtMost(Number(third.headers.get("retry-after")), 30)
      assert.strictEqual((yield* sendRequest("GET", "/v1/health")).status, 200)
    }))

  it.effect("of feedback is separate, and four times as large", () =>
    Effect.gen(function*() {
      for (let i = 0; i < 8; i++) {
        const answer = yield* sendRequest("POST", "/v1/feedback", { json: feedback })
        assert.strictEqual(answer.status, 200)
        assert.match(policyOf(answer)[0] ?? "", /^"feedback";q=8;w=60$/)
      }
      const ninth = yield* sendRequest("POST", "/v1/feedback", { json: feedback })
      isProblem(ninth, 429, "Too many requests", "feedback")
    }))
})

layer(fakeService({ rateLimitPerMinute: 10 }), { excludeTestServices: true })("a quota of units", (it) => {
  it.effect("counts a large body and the steps of a workflow as several requests, and refills them", () =>
    Effect.gen(function*() {
      const large = yield* raw(JSON.stringify({ task: { task: "x".repeat(250_000) } }))
      assert.deepStrictEqual([large.status, large.headers.get("ratelimit")], [200, `"requests";r=7;t=18`])
      const steps = Array.from({ length: 20 }, (_, index) => ({ step_id: `s${index}`, task }))
      const workflow = yield* sendRequest("POST", "/v1/recommend/workflow", { json: { steps } })
      assert.strictEqual(workflow.status, 200)
      assert.match(workflow.headers.get("ratelimit") ?? "", /^"requests";r=0;t=13[78]$/)
      const next = yield* sendRequest("GET", "/v1/models")
      isProblem(next, 429, "Too many requests")
      assert.isAtLeast(Number(next.headers.get("retry-after")), 80)
    }))

  it.effect("leaves the quota of feedback unaffected when the account has exceeded the other one", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* sendRequest("POST", "/v1/feedback", { json: feedback })).status, 200)
    }))
})

const busy = { heapShare: 0, processorShare: 0, loopDelayMs: 0, loopShare: 0 }

layer(fakeService({ load: () => busy }), { excludeTestServices: true })("a service short of memory", (it) => {
  const statuses = Effect.gen(function*() {
    const answers = [
      yield* sendRequest("GET", "/v1/models"), yield* sendRequest("POST", recommend, { json: { task } }),
      yield* sendRequest("POST", "/v1/feedback", { json: feedback })
    ]
    for (const answer of answers) {
      if (answer.status === 200) continue
      isProblem(answer, 503, "Service unavailable")
    }
    for (const probe of ["/livez", "/readyz", "/readyz?verbose", "/v1/health", "/v1/capabilities"]) {
      assert.strictEqual((yield* sendRequest("GET", probe, { key: null })).status, 200, probe)
    }
    return answers.map(({ status }) => status)
  })

  it.effect("refuses reads first, then recommendations, feedback last, and always answers its probes", () =>
    Effect.gen(function*() {
      for (
        const [heapShare, expected] of [
          [0.5, [200, 200, 200]], [0.85, [503, 200, 200]], [0.9, [503, 503, 200]], [0.95, [503, 503, 503]],
          [0.5, [200, 200, 200]]
        ] as const
      ) {
        busy.heapShare = heapShare
        assert.deepStrictEqual(yield* statuses, [...expected])
      }
    }))

  it.effect("sends no quota headers where there is no quota", () =>
    Effect.gen(function*() {
      assert.isNull((yield* sendRequest("GET", "/v1/models")).headers.get("ratelimit-policy"))
    }))
})
