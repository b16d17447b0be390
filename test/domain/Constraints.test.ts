import { assert, it } from "@effect/vitest"
import { Constraints, merge, StepConstraints } from "../../src/domain/Constraints.ts"

it("a step's own constraint replaces the workflow's, and a null one does not", () => {
  const over = Constraints.make({ maxCostPerCall: 1, requirePromptCaching: true, allowedProviders: ["openai"] })
  const merged = merge(over, StepConstraints.make({ maxCostPerCall: 2 }))
  assert.deepStrictEqual(merged, { ...over, maxCostPerCall: 2 })
  assert.deepStrictEqual(merge(over, null), over)
})

it("a step's explicit false takes back a caching requirement", () => {
  const over = Constraints.make({ requirePromptCaching: true })
  assert.isFalse(merge(over, StepConstraints.make({ requirePromptCaching: false })).requirePromptCaching)
})
