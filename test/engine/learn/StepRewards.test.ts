import { assert, it } from "@effect/vitest"
import { stepsWrite } from "../../../src/engine/learn/StepRewards.ts"
import { defaults } from "../../../src/engine/Settings.ts"
import { feedback, combined } from "../../support/builders.ts"

const keeping = (request: ReturnType<typeof feedback>) => {
  const write = stepsWrite(combined({ request }), defaults)
  return write?.kind === "recordSteps" ? write.body : null
}

it("a step without a signal is rewarded by its outcome; a given signal stands, 0 included", () => {
  const rewards = keeping(feedback({
    stepOutcomes: [
      { stepId: "a", outcome: "success" }, { stepId: "b", outcome: "partial" },
      { stepId: "c", outcome: "failure" },
      { stepId: "d", outcome: "success", signal: 0 }, { stepId: "e", outcome: "failure", signal: 0.5 }
    ]
  }))
  assert.deepStrictEqual(rewards?.steps.map(({ signal }) => signal), [1, 0, -1, 0, 0.5])
})

it("of 33 steps the first 32 are kept", () => {
  const rewards = keeping(feedback({
    stepOutcomes: Array.from({ length: 33 }, (_, i) => ({ stepId: `s${i}`, outcome: "success" as const }))
  }))
  assert.strictEqual(rewards?.steps.length, 32)
  assert.strictEqual(rewards?.steps.at(-1)?.stepId, "s31")
})

it("a feedback without steps writes none", () => {
  assert.isNull(keeping(feedback()))
})
