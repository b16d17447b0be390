import { assert, it } from "@effect/vitest"
import { honoredConstraints } from "../../src/domain/Constraints.ts"
import { nearest } from "../../src/http/ClosestName.ts"

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
