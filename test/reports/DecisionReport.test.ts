import { assert, describe, it } from "@effect/vitest"
import { variantIdOf } from "../../src/domain/model/ModelVariant.ts"
import type { Decision } from "../../src/domain/Decision.ts"
import type { ReportedOutcome } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import { unmeasured } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { decisionReport } from "../../src/reports/DecisionReport.ts"
import { decided } from "./rows.ts"

const secret = "Secret task"
const forecast = { base: 0.5, cells: 0.6, local: 0.7, mixed: 0.65 }

const keptAs = (but: Partial<Decision> = {}): Decision => ({
  ...decided().decision,
  costMarginUsd: null,
  accountId: AccountId.make("acme"),
  taskExcerpt: secret,
  neighbours: [
    { entryId: "e1", modelId: "small", weight: 3 }, { entryId: "e2", modelId: "small", weight: 0 },
    { entryId: "e3", modelId: "unpriced", weight: 1 }
  ],
  forecasts: [{ modelId: "small", ...forecast }],
  candidates: [
    { modelId: "cheap", predictedSuccess: 0.62, estCostUsd: 0.1, isEligible: false },
    { modelId: "slow", predictedSuccess: 0.9, estCostUsd: 0.2, isEligible: false },
    { modelId: "large", predictedSuccess: 0.95, estCostUsd: 1, isEligible: true },
    { modelId: "small", predictedSuccess: 0.75, estCostUsd: 0.25, isEligible: true }
  ],
  ...but
})

const flipOf = (but: Partial<Decision> = {}) => decisionReport(keptAs(but), []).flip

describe("a decision by its id", () => {
  it("gives every candidate's standing, the recommended one first and the likelier before others", () => {
    const { candidates } = decisionReport(keptAs(), [])
    assert.deepStrictEqual(candidates.map(({ modelId, standing }) => [modelId, standing]), [
      ["small", "recommended"], ["large", "eligible"], ["slow", "excluded"], ["cheap", "below_threshold"]
    ])
  })

  it("gives what was kept of the evidence: forecasts, and recalled outcomes with their weight", () => {
    const { candidates: [small, large], nNeighbours } = decisionReport(keptAs(), [])
    assert.deepInclude(small, { forecast, nNeighbours: 2, neighbourWeight: 0.75 })
    assert.deepInclude(large, { forecast: null, nNeighbours: 0, neighbourWeight: 0 })
    assert.strictEqual(nNeighbours, 3)
    assert.isNull(decisionReport(keptAs({ neighbours: [] }), []).candidates[0]?.neighbourWeight)
  })

  it("says of the nearest flip whether a constraint may stand against it", () => {
    assert.deepStrictEqual(flipOf(), {
      modelId: "large", side: "least", threshold: 0.76, successValueUsd: null, isCertain: true
    })
    assert.deepStrictEqual(flipOf({ threshold: 0.64 }), {
      modelId: "cheap", side: "most", threshold: 0.62, successValueUsd: null, isCertain: false
    })
  })

  it("says of a decision by value the nearest value of another pick, above min_quality alone", () => {
    // Equal to large where 0.2 of a success is worth 0.75; cheap falls short of the least success.
    const byValue = { successValueUsd: 3, threshold: 0.7 }
    assert.deepStrictEqual(flipOf(byValue), {
      modelId: "large", side: "least", threshold: null, successValueUsd: 3.8, isCertain: true
    })
    assert.isNull(flipOf({ ...byValue, successValueUsd: 10 }))
    const { rationale, successValueUsd } = decisionReport(keptAs(byValue), [])
    assert.strictEqual(successValueUsd, 3)
    assert.include(rationale, "for what it is worth at $3.00 a success; next large")
    const near = { modelId: "near", predictedSuccess: 0.72, estCostUsd: 0.25, isEligible: true }
    const others = [{ ...near, modelId: "weak", predictedSuccess: 0.1, estCostUsd: 0.01 }, near]
    assert.include(decisionReport(keptAs({ ...byValue, candidates: [...keptAs().candidates, ...others] }), []).rationale, "next near")
  })

  it("has no flip where the pick was drawn, or did not follow from predictions and costs", () => {
    assert.isNull(flipOf({ isExploration: true }))
    assert.isNull(flipOf({ recommendedModelId: "large" }))
    assert.isNull(flipOf({ candidates: [] }))
    assert.isNull(flipOf({ guaranteeBaselineId: "small" }))
  })

  it("names the effort of a variant beside its model", () => {
    const variant = variantIdOf({ modelId: "small", effort: "low" })
    const { candidates: [first], recommendedEffort, recommendedModelId } = decisionReport(keptAs({
      recommendedModelId: variant, candidates: [{ modelId: variant, predictedSuccess: 0.8, estCostUsd: 0.1, isEligible: true }]
    }), [])
    assert.deepStrictEqual([recommendedModelId, recommendedEffort], ["small", "low"])
    assert.deepInclude(first, { modelId: "small", effort: "low", standing: "recommended" })
    assert.notProperty(decisionReport(keptAs(), []), "recommendedEffort")
  })

  it("says what is kept of the task, and holds no word of it", () => {
    const whole = decisionReport(keptAs(), [])
    assert.strictEqual(whole.taskKept, "excerpt")
    assert.notInclude(JSON.stringify(whole), secret)
    assert.strictEqual(decisionReport(keptAs({ taskExcerpt: "" }), []).taskKept, "nothing")
    const vectors = [{ embedder: "lexical", scale: 1, vector: "AA==" }]
    assert.strictEqual(decisionReport(keptAs({ taskExcerpt: "", taskVectors: vectors }), []).taskKept, "vectors")
  })

  it("has the outcome of every reported model, and the computed cost only without a bill", () => {
    const outcome = (modelId: string, actualCostUsd: number | null): ReportedOutcome => {
      const measured = { ...unmeasured, actualCostUsd, computedCostUsd: 0.5, latencyMs: 900 }
      return {
        modelId, revision: 1, verdictRevision: 1, billed: measured, measured,
        label: {
          feedbackAt: new Date("2026-11-20T13:00:00Z"), outcome: "failure", quality: 0, taughtQuality: 0, provenance: "gate",
          provenanceWeight: 1, errorCause: "quality", teaches: true, isLate: false
        }
      }
    }
    const { outcomes } = decisionReport(keptAs(), [outcome("small", 0.2), outcome("large", null)])
    assert.deepStrictEqual(
      outcomes.map(({ actualCostUsd, computedCostUsd, costSource, modelId }) => [modelId, actualCostUsd, computedCostUsd, costSource]),
      [["small", 0.2, null, "reported"], ["large", null, 0.5, "computed"]]
    )
    assert.deepInclude(outcomes[0], { outcome: "failure", errorCause: "quality", latencyMs: 900, provenance: "gate" })
  })
})
