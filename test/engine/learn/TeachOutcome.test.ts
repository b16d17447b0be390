import { assert, describe, it } from "@effect/vitest"
import { observationWrite } from "../../../src/engine/learn/TeachOutcome.ts"
import { decision, feedback, combined } from "../../support/builders.ts"

const drawn = { selectionPolicy: "epsilon_softmax", propensity: 0.25 } as const

const observationOf = (over: Parameters<typeof combined>[0]) => {
  const write = observationWrite(combined(over))
  return write?.kind === "teach" ? write.body : null
}

describe("an observation", () => {
  it("has the propensity of a pick that was drawn and ran, and none of a caller's choice", () => {
    const pick = decision(drawn)
    assert.strictEqual(observationOf({ decision: pick })?.propensity, 0.25)
    const other = feedback({ chosenModelId: "dear" })
    assert.isNull(observationOf({ decision: pick, request: other })?.propensity)
    // A caller in shadow runs its own default, also where that happens to be the pick.
    assert.isNull(observationOf({ decision: decision({ ...drawn, isShadow: true }) })?.propensity)
    assert.isNull(observationOf({ decision: decision() })?.propensity)
  })

  it("has the list cost of its tokens where a run has no bill, and none where a call has none", () => {
    const request = feedback({ inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: null })
    const prices = { inputCostPerMtok: 3, outputCostPerMtok: 1, cacheReadCostPerMtok: null }
    assert.strictEqual(observationOf({ decision: decision({ cluster: "code:medium:run" }), request, prices })?.costUsd, 3)
    assert.isNull(observationOf({ request, prices })?.costUsd)
  })

  it("of a decision in shadow teaches the model that ran", () => {
    const request = feedback({ chosenModelId: "dear", outcome: "failure", evidenceSource: "gate" })
    const shadow = combined({ decision: decision({ isShadow: true }), request })
    const write = observationWrite(shadow)
    assert.deepStrictEqual(write, observationWrite(combined({ request })))
    assert.deepInclude(observationOf({ decision: decision({ isShadow: true }), request }), {
      modelId: "dear", outcome: "failure", provenance: "gate"
    })
    assert.isTrue(write?.kind === "teach" && write.body.teaches)
  })
})
