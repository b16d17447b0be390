import { assert, it } from "@effect/vitest"
import { honoredConstraints } from "../../src/domain/Constraints.ts"
import { AccountModels } from "../../src/domain/account/AccountModels.ts"
import { FeedbackRequest } from "../../src/domain/feedback/Feedback.ts"
import { DiagnoseRequest } from "../../src/domain/Lesson.ts"
import { RecommendRequest } from "../../src/domain/Recommendation.ts"
import { snakeCase } from "../../src/domain/wire/Wire.ts"
import { WorkflowRequest } from "../../src/domain/Workflow.ts"
import { findMisspelt, nearest } from "../../src/http/body/ClosestName.ts"

it("a misspelt name stands for the known one with the most pairs of letters in common", () => {
  for (
    const [name, known] of [
      ["providers", "allowed_providers"], ["candidate_model", "candidate_models"], ["cost_per_call", "max_cost_per_call"],
      ["maxCostPerCall", "max_cost_per_call"], ["max_cost", "max_cost_per_call"], ["latency", "max_latency_ms"],
      ["context_window", "require_context_window"], ["denied_models", "excluded_models"], ["MIN-QUALITY", "min_quality"]
    ] as const
  ) assert.strictEqual(nearest(name, honoredConstraints), known)
})

it("a name that is near no known one, or as near to two, stands for none", () => {
  for (const name of ["", "x", "zone", "require_vision", "__proto__", "質量", "models"]) {
    assert.isUndefined(nearest(name, honoredConstraints), name)
  }
  assert.isUndefined(nearest("min_quality", []))
})

it("every known name stands for itself", () => {
  for (const name of honoredConstraints) assert.strictEqual(nearest(name, honoredConstraints), name)
})

const requests = [RecommendRequest, WorkflowRequest, FeedbackRequest, DiagnoseRequest, AccountModels]
  .map(({ to }) => Object.keys(to.fields).map(snakeCase))

it("a misspelt name differs from a known one in case, marks, or one or two letters in a place", () => {
  const misspelt = findMisspelt(requests.flat())
  for (
    const [name, known] of [
      ["constraint", "constraints"], ["Constraints", "constraints"], ["constrants", "constraints"],
      ["cosntraints", "constraints"], ["constraintss", "constraints"], ["name_space", "namespace"],
      ["namespaces", "namespace"], ["costQualityTradeoff", "cost_quality_tradeoff"],
      ["cost_quality_trade_off", "cost_quality_tradeoff"], ["idempotency-key", "idempotency_key"],
      ["qualityscore", "quality_score"], ["outcomes", "outcome"], ["step", "steps"], ["reccomendation_id", "recommendation_id"]
    ] as const
  ) assert.strictEqual(misspelt(name), known, name)
})

it("a name with a word more or less than a known one is another name", () => {
  const misspelt = findMisspelt(requests.flat())
  for (
    const name of [
      "latency", "cached_input_tokens_5m", "namespace_v2", "cost_usd", "costUsd", "slider", "score", "tag", "", "x",
      "__proto__", "constructor", "質量"
    ]
  ) assert.isUndefined(misspelt(name), name)
})

it("no known field is another one misspelt, so that a version without it ignores it", () => {
  for (const names of requests) {
    for (const name of names) {
      assert.isUndefined(findMisspelt(names.filter((other) => other !== name))(name), name)
    }
  }
})
