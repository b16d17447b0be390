import { Effect } from "effect"
import { sendRequest } from "./service.ts"

/** A word in every text of every endpoint, as an actor of an account; each spelled with where it stood. */
export const plant = Effect.fnUntraced(function*(account: string, canary: string, userId: string) {
  const models = ["gpt-5-mini", "claude-haiku-4-5", "gemini-2.5-flash"]
  const task = (number: number) => ({
    task: `${canary}task${number} sum the list of ${canary} numbers`, task_type: "code", difficulty: "medium",
    tags: [`${canary}tag`]
  })
  const namespace = `${canary}space`
  const about = {
    user_id: userId, namespace, allow_llm_escalation: false,
    constraints: { excluded_models: [`${canary}excluded`] }
  }
  const attributes = Object.entries({
    "gen_ai.operation.name": "chat", "gen_ai.request.model": `${canary}observed`, "user.id": userId,
    "session.id": `${canary}session`, "team.id": `${canary}team`, "gen_ai.prompt": `${canary}asked sum the list`
  }).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const nanos = `${Date.now()}000000`
  const span = { traceId: `${canary}trace`, spanId: userId, startTimeUnixNano: nanos, endTimeUnixNano: nanos, attributes }
  yield* sendRequest(account, "POST", "/v1/otlp/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans: [span, {}] }] }] })
  for (let number = 0; number < 6; number++) {
    const told = yield* sendRequest(account, "POST", "/v1/recommend", {
      task: task(number), ...about, baseline_model_id: `${canary}baseline`, incumbent_model_id: `${canary}incumbent`
    })
    yield* sendRequest(account, "POST", "/v1/feedback", {
      recommendation_id: told["recommendation_id"], evidence_source: "gate", outcome: "failure",
      chosen_model_id: number % 2 === 0 ? `${canary}model` : models[0],
      notes: `TypeError: ${canary}notes is not a function`, chosen_effort: `${canary}effort`,
      ...(number % 3 === 0 ? {} : { idempotency_key: `${canary}key${number}${userId}` }),
      actual_cost_usd: 0.01, input_tokens: 10, output_tokens: 10, latency_ms: 100,
      signals: { steps: 4, tool_errors: 1, ended: "limit" }, cached_input_tokens: 4, reasoning_tokens: 6, time_to_first_token_ms: 50,
      step_outcomes: [{
        step_id: `${canary}step`, step_name: `${canary}name`, outcome: "failure", rationale: `${canary}rationale`,
        directive_hint: `${canary}hint`
      }]
    })
  }
  yield* sendRequest(account, "POST", "/v1/recommend/workflow", {
    steps: [{ step_id: `${canary}workstep`, task: task(9), depends_on: [`${canary}before`] }], user_id: userId, namespace,
    allow_llm_escalation: false
  })
  yield* sendRequest(account, "POST", "/v1/diagnose", {
    error_text: `TypeError: ${canary}diagnosed`, error_type: `${canary}type`, user_id: userId, namespace
  })
  yield* sendRequest(account, "GET", `/v1/strategies?namespace=${namespace}`)
  yield* sendRequest(account, "GET", `/v1/memory/health?namespace=${namespace}`)
})
