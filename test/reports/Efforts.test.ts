import { assert, it } from "@effect/vitest"
import { variantIdOf } from "../../src/domain/model/ModelVariant.ts"
import { calibration } from "./reference/Calibration.ts"
import { overview } from "./reference/Overview.ts"
import { decided, reported } from "./rows.ts"

const low = variantIdOf({ modelId: "small", effort: "low" })
const high = variantIdOf({ modelId: "small", effort: "high" })

it("The overview names the levels of a model apart, each beside its model", () => {
  const decision = {
    recommendedModelId: low,
    baselineModelId: high,
    candidates: [low, high].map((modelId) =>
      ({ modelId, predictedSuccess: 0.8, estCostUsd: 0.25, isEligible: true }))
  }
  const { clusterModels, decisions: [first] } = overview([
    reported({ chosenModelId: high, actualCostUsd: 0.5 }, decision), decided(decision)
  ])
  assert.deepStrictEqual(
    clusterModels.map(({ effort, modelId, nOutcomes, nRecommended }) => [modelId, effort, nRecommended, nOutcomes]),
    [["small", "high", 0, 1], ["small", "low", 2, 0]]
  )
  assert.deepInclude(first, {
    recommendedModelId: "small", recommendedEffort: "low", baselineModelId: "small", baselineEffort: "high"
  })
  assert.deepInclude(first?.runnerUp, { modelId: "small", effort: "high" })
  assert.include(first?.rationale, "next small#high")
  const ran = overview([reported({ chosenModelId: high }, decision)]).decisions[0]
  assert.deepInclude(ran?.outcome, { modelId: "small", effort: "high" })
})

it("A level that drifts is flagged beside its model, and a model without levels has no field", () => {
  const drifting = (modelId: string) => Array.from({ length: 60 }, () =>
    reported({ chosenModelId: modelId, outcome: "failure" }, {
      recommendedModelId: modelId,
      candidates: [{ modelId, predictedSuccess: 0.95, estCostUsd: 0.1, isEligible: true }]
    }))
  const { driftFlags } = calibration([...drifting(low), ...drifting("large")])
  assert.deepStrictEqual(driftFlags, [
    { cluster: "code:hard", modelId: "large", direction: "over_predicting", leftAt: null },
    { cluster: "code:hard", modelId: "small", effort: "low", direction: "over_predicting", leftAt: null }
  ])
})
