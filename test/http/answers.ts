/* One answer of each operation of the API, as the service gives it over HTTP. */
import { Effect, Layer, Schema } from "effect"
import { AccountBudgets } from "../../src/accounts/AccountBudgets.ts"
import { AccountModelsStore, storedModels } from "../../src/accounts/AccountModels.ts"
import { AccountSettings, followsService } from "../../src/accounts/AccountSettings.ts"
import { AccountModels } from "../../src/domain/account/AccountModels.ts"
import type { Budget } from "../../src/domain/account/Budget.ts"
import { laneOf } from "../../src/domain/Scope.ts"
import { GuaranteeEvidences } from "../../src/ledger/GuaranteeEvidence.ts"
import { ModelsHealth } from "../../src/ledger/ModelsHealth.ts"
import { ObservedCalls } from "../../src/reports/ObservedCalls.ts"
import { noEvidence } from "../../src/stats/GuaranteeStates.ts"
import type { BudgetState } from "../../src/stats/BudgetState.ts"
import { periodAt } from "../../src/stats/BudgetPacing.ts"
import { evidenceAfter, trials } from "../support/guarantees.ts"
import { undatedCatalog } from "../support/undatedCatalog.ts"
import { engineService, key } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

const document = Schema.decodeSync(AccountModels)({
  default_candidates: ["gpt-5-mini", "acme-support-ft"],
  models: [{
    model_id: "acme-support-ft", base_model: "gpt-5-mini", version: "2026-11", input_cost_per_mtok: 0.5,
    output_cost_per_mtok: 4
  }]
})
const updatedAt = new Date("2026-11-20T16:00:00Z")
/** Its version has changed with the document. */
const stored = storedModels(document, updatedAt, [{
  modelId: "acme-support-ft", baseModel: "gpt-5-mini", provider: null, version: "2026-11", changed: ["version"],
  since: updatedAt.toISOString()
}])

const terms: Budget = { usd: 50, period: "day", isHard: false }
const spentUsd = 31.204
const state: BudgetState = {
  period: periodAt("day", Date.UTC(2026, 10, 20, 12)), requests: 4_210, spentUsd, estimatedUsd: 2.087,
  leftOutUsd: 0, keptUsd: 0, leftUsd: 50 - spentUsd, billsPerEstimate: 1.05, requestsLeft: 3_950, perRequestUsd: 0.00476,
  shift: 0, expectedUsd: 49.1
}
/** A budget of which much is spent at noon. */
const budget = Layer.merge(
  Layer.succeed(AccountSettings, {
    read: () => Effect.succeed({ ...followsService, budget: terms }), write: () => Effect.void
  }),
  Layer.succeed(AccountBudgets, {
    read: () => Effect.succeed({
      budget: terms, state, hold: () => Effect.succeed({ budget: terms, reservedUsd: 0, state, release: () => Effect.void })
    })
  })
)

/** A guarantee that is held for code. */
const guarantees = Layer.succeed(GuaranteeEvidences, {
  read: () => Effect.succeed(noEvidence),
  list: () => Effect.succeed([{
    lane: laneOf("checkout"), baselineModelId: "claude-haiku-4-5", maxQualityLoss: 0.05, confidence: 0.95,
    evidence: evidenceAfter(trials(800, 40), { candidate: "gpt-5-mini" })
  }])
})

/** Two models that a coding agent called. */
const observed = Layer.succeed(ObservedCalls, {
  add: () => Effect.void,
  sums: () => Effect.succeed({
    groups: [{
      modelId: "claude-opus-5-5", taskType: "code", n: 3, nBroken: 0, nBilled: 3, nJudged: 0, inputTokens: 38_307,
      cachedInputTokens: 22_982, cacheWriteInputTokens: 3_829, outputTokens: 71, billedUsd: 0.0711454, listUsd: 0,
      latencyMsP50: 16, quality: null
    }, {
      modelId: "gpt-5-mini", taskType: null, n: 7, nBroken: 1, nBilled: 0, nJudged: 1, inputTokens: 870,
      cachedInputTokens: 519, cacheWriteInputTokens: 0, outputTokens: 126, billedUsd: 0, listUsd: 0.000464725,
      latencyMsP50: 52, quality: 1
    }],
    leftOut: [{ reason: "not_a_call", n: 12 }]
  }),
  arms: () => Effect.succeed([]),
  uses: () => Effect.succeed([])
})

/** The service over the catalog that it ships with, for an account with a model of its own. */
export const service = engineService({
  budget,
  health: Layer.merge(observed, Layer.succeed(ModelsHealth, {
    read: () => Effect.succeed({ known: [{
      provider: "openai", modelId: "gpt-5-nano", isHealthy: false, hasFailed: true, calls: 24, failures: 21,
      rateLimits: 17, failedAtMs: 1_767_225_600_000, probeAtMs: 1_767_225_615_000, triedUntilMs: 0
    }] }),
    tryOut: () => Effect.succeed(false)
  })),
  guarantees,
  accountModels: Layer.succeed(AccountModelsStore, {
    read: () => Effect.succeed(stored), write: () => Effect.succeed(stored)
  }),
  catalog: undatedCatalog
})

const get = (path: string) => Effect.map(sendRequest("GET", path, { key }), ({ body }) => body)
const post = (path: string, json: object) =>
  Effect.map(sendRequest("POST", path, { key, json }), ({ body }) => body)

const candidates = ["gpt-5-mini", "claude-haiku-4-5"]
const request = (task: string) => ({
  task: { task, task_type: "code", difficulty: "medium", tags: ["lang:python"] },
  constraints: { candidate_models: candidates },
  allow_llm_escalation: false,
  namespace: "checkout",
  baseline_model_id: "claude-haiku-4-5"
})

/** A recommendation and its feedback. */
const call = (task: string, outcome: "success" | "failure", over: object = {}, asked: object = {}) =>
  Effect.gen(function*() {
    const recommended = yield* post("/v1/recommend", { ...request(task), ...asked })
    return {
      recommended,
      reported: yield* post("/v1/feedback", {
        recommendation_id: recommended["recommendation_id"],
        chosen_model_id: "gpt-5-mini",
        outcome, evidence_source: "gate", input_tokens: 812, output_tokens: 640, actual_cost_usd: 0.001483,
        latency_ms: 5_240, ...over
      })
    }
  })

/** Calls of the other candidate, which can then be compared. */
const rivalCalls = Effect.forEach(["heaps", "tries", "logs"], (list) =>
  call(`Write a function that merges two ${list}`, "success", {
    chosen_model_id: "claude-haiku-4-5", actual_cost_usd: 0.004012
  }))

/** Calls of the dearer candidate alone, in a namespace of their own. */
const dearCalls = Effect.forEach(["heaps", "tries", "logs", "maps", "rings", "graphs"], (list, i) =>
  call(`Write a function that merges two ${list}`, i < 2 ? "failure" : "success", {
    chosen_model_id: "claude-haiku-4-5", actual_cost_usd: 0.004012
  }, { namespace: "support" }))

/** An answer of each operation, by its id, after a handful of calls. */
export const answers = Effect.gen(function*() {
  for (const list of ["sorted lists", "priority queues", "linked lists"]) {
    yield* call(`Write a function that merges two ${list}`, "success")
  }
  const failed = yield* call("Write a function that merges two streams", "failure", {
    error_cause: "quality", notes: "TimeoutError: tool call exceeded 30 s"
  }, { task_id: "streams-17" })
  yield* call("Write a function that merges two streams", "success", {}, {
    task_id: "streams-17", attempts: [{ recommendation_id: failed.recommended["recommendation_id"] }]
  })
  const ownModels = yield* get("/v1/account/models")
  const { recommended, reported } = yield* call("Write a function that merges two sorted arrays", "success")
  return {
    recommend: recommended,
    recommendWorkflow: yield* post("/v1/recommend/workflow", {
      steps: [{
        step_id: "write", task_id: "migration-3", task: { task: "Write the migration", task_type: "code", difficulty: "hard", unit: "run" },
        verification: { kind: "gate" }, success_value_usd: 5,
        attempts: [{ model_id: "gpt-5-mini", effort: "low", outcome: "failure", evidence_source: "gate" }]
      }],
      constraints: { candidate_models: ["gpt-5-mini#low", "gpt-5-mini#high"] },
      allow_llm_escalation: false
    }),
    feedback: reported,
    models: yield* get("/v1/models?provider=anthropic&task_type=code&max_cost=5"),
    modelsHealth: yield* get("/v1/health/models"),
    strategies: yield* get("/v1/strategies?namespace=checkout"),
    diagnose: yield* post("/v1/diagnose", {
      error_text: "TimeoutError: tool call exceeded 30 s", namespace: "checkout"
    }),
    memoryHealth: yield* get("/v1/memory/health?namespace=checkout"),
    savings: yield* get("/v1/savings?namespace=checkout&days=7&group_by=task_type"),
    calibration: yield* get("/v1/calibration?namespace=checkout&days=30"),
    policyValue: yield* get("/v1/policy-value?namespace=checkout&days=90"),
    dashboard: yield* Effect.andThen(rivalCalls, get("/v1/dashboard?namespace=checkout&days=7")),
    advice: yield* Effect.andThen(dearCalls, get("/v1/advice?namespace=support&days=30")),
    calls: yield* get("/v1/calls?namespace=support&days=30&outcome=success"),
    retirement: yield* get("/v1/retirement?model_id=claude-haiku-4-5&namespace=support&days=30"),
    decision: yield* get(`/v1/decision?recommendation_id=${recommended["recommendation_id"]}`),
    observedCalls: yield* get("/v1/observed-calls?days=7"),
    accountModels: ownModels,
    // Setting the document answers what reading it does.
    setAccountModels: ownModels,
    accountBudget: yield* get("/v1/account/budget"),
    accountGuarantee: yield* get("/v1/account/guarantee?namespace=checkout"),
    capabilities: yield* get("/v1/capabilities"),
    health: yield* get("/v1/health")
  }
})
