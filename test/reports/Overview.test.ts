import { assert, describe, it } from "@effect/vitest"
import { laneOf } from "../../src/domain/Scope.ts"
import { overview } from "./reference/Overview.ts"
import { idOf } from "../support/builders.ts"
import { decided, reported } from "./rows.ts"

describe("models by kind of task", () => {
  it("an outcome and its bill belong to the model that ran, a recommendation to the advised one", () => {
    const { clusterModels } = overview([
      reported({ chosenModelId: "large", outcome: "partial", actualCostUsd: 0.5 }),
      reported({ actualCostUsd: 0 }),
      reported({ outcome: "failure" }),
      decided()
    ])
    assert.deepStrictEqual(clusterModels.map(({ modelId, nBilled, nOutcomes, nRecommended }) =>
      [modelId, nRecommended, nOutcomes, nBilled]), [["large", 0, 1, 1], ["small", 4, 2, 1]])
    const [large, small] = clusterModels
    assert.deepInclude(large, { cluster: "code:hard", successRate: 0.5, predictedSuccess: 0.95, meanCostUsd: 0.5 })
    assert.deepInclude(small, { successRate: 0.5, predictedSuccess: 0.75, meanCostUsd: 0 })
    assert.isBelow(small?.successLow ?? 1, 0.5)
    assert.isAbove(small?.successHigh ?? 0, 0.5)
  })

  it("a bill far above every estimate that no other confirms is counted apart, in shadow too", () => {
    const far = [{}, { isShadow: true }].map((changed) => overview([
      reported({ actualCostUsd: 0.25 }), reported({ actualCostUsd: 0.75 }), reported({ actualCostUsd: 500_000 }, changed)
    ]).clusterModels[0])
    for (const each of far) assert.deepInclude(each, { nBilled: 3, nCostOutliers: 1, meanCostWithoutOutliersUsd: 0.5 })
    const confirmed = overview([reported({ actualCostUsd: 400_000 }), reported({ actualCostUsd: 500_000 })])
    assert.deepInclude(confirmed.clusterModels[0], { nCostOutliers: 0, meanCostWithoutOutliersUsd: 450_000 })
    const alone = overview([reported({ actualCostUsd: 500_000 })])
    assert.deepInclude(alone.clusterModels[0], { nCostOutliers: 1, meanCostUsd: 500_000, meanCostWithoutOutliersUsd: null })
  })

  it("what does not teach is billed but judges nothing, and a stranger has no prediction", () => {
    const { clusterModels } = overview([
      reported({ teaches: false, actualCostUsd: 2 }),
      reported({ chosenModelId: "stranger" })
    ])
    assert.deepInclude(clusterModels[0], { modelId: "small", nOutcomes: 0, successRate: null, meanCostUsd: 2 })
    assert.deepInclude(clusterModels[1], { modelId: "stranger", nOutcomes: 1, predictedSuccess: null })
  })

  it("is bounded: the busiest 200 pairs stay, and how many are left out is said", () => {
    const many = Array.from({ length: 230 }, (_, index) => reported({ chosenModelId: `model-${index}` }))
    const { clusterModels, clusterModelsLeftOut } = overview(many)
    assert.strictEqual(clusterModels.length, 200)
    assert.strictEqual(clusterModelsLeftOut, 31)
    assert.isTrue(clusterModels.some(({ modelId }) => modelId === "small"))
  })
})

describe("the last decisions", () => {
  it("are the newest 50, newest first", () => {
    const rows = Array.from({ length: 60 }, (_, index) => decided({ recommendationId: idOf(`r${index}`) }))
    const { decisions } = overview(rows)
    assert.strictEqual(decisions.length, 50)
    assert.strictEqual(decisions[0]?.recommendationId, "r59")
    assert.strictEqual(decisions.at(-1)?.recommendationId, "r10")
  })

  it("say which were asked in shadow, whose outcomes count where their models ran, and on no day", () => {
    const shadow = reported({ chosenModelId: "large" }, { isShadow: true })
    const { clusterModels, decisions, savingsByDay } = overview([reported(), shadow])
    assert.deepStrictEqual(decisions.map((decision) => decision.shadow), [true, false])
    assert.deepStrictEqual(clusterModels.map(({ modelId, nOutcomes }) => [modelId, nOutcomes]), [["large", 1], ["small", 1]])
    assert.deepStrictEqual(savingsByDay, overview([reported()]).savingsByDay)
    assert.deepStrictEqual(overview([shadow]).savingsByDay, [])
  })

  it("say what was advised, what would have been next, and what came of it", () => {
    const row = reported({ actualCostUsd: 0.5, chosenModelId: "large" }, { lane: laneOf("support"), warnings: ["w"] })
    const [decision] = overview([row]).decisions
    assert.deepInclude(decision, {
      lane: "sextant:support",
      recommendedModelId: "small",
      warnings: ["w"],
      createdAt: "2026-11-20T12:00:00.000Z",
      rationale: "75 % likely going by past outcomes, at $0.25 the cheapest of the 2 that reach the threshold 0.7;"
        + " next large, 95 % at $1.00."
    })
    assert.deepStrictEqual(decision?.runnerUp, { modelId: "large", predictedSuccess: 0.95, estCostUsd: 1 })
    assert.deepInclude(decision?.outcome, { modelId: "large", outcome: "success", actualCostUsd: 0.5 })
    assert.isNull(overview([decided()]).decisions[0]?.outcome)
  })

  const small = { modelId: "small", predictedSuccess: 0.75, estCostUsd: 0.25, isEligible: true }
  const large = { modelId: "large", predictedSuccess: 0.95, estCostUsd: 1, isEligible: true }
  for (
    const [what, but, words] of [
      ["a lone candidate", { candidates: [small] }, "at $0.25 the only candidate."],
      ["the only one that is eligible", { candidates: [small, { ...large, isEligible: false }] },
        "the only one of 2 candidates that reaches the threshold 0.7; next large"],
      ["none that is eligible", { candidates: [small, large].map((each) => ({ ...each, isEligible: false })) },
        "chosen from 2 candidates, none of which reaches the threshold 0.7 within the constraints"],
      ["a pick that was drawn", { isExploration: true, candidates: [small, large] },
        "drawn to explore, from the 2 of 2 candidates that reach the threshold 0.7"],
      ["a pick that is not the cheapest", { candidates: [{ ...small, estCostUsd: 0.1 }, small, large] },
        "chosen of the 3 that reach"],
      ["a baseline", { guaranteeBaselineId: "small" }, "at $0.25 the baseline of the guarantee."],
      ["a model that is held", { guaranteeBaselineId: "large#effort=low" }, "at $0.25 held by the guarantee against large#low."],
      ["a trial", { guaranteeBaselineId: "large", guaranteeCandidateId: "small", isExploration: true },
        "at $0.25 a candidate, drawn as a trial of the guarantee against large."],
      ["the baseline beside a model that is held",
        { guaranteeBaselineId: "small", guaranteeCandidateId: "large", isExploration: true },
        "at $0.25 the baseline, drawn as a trial of the guarantee against small."],
      ["priors", { decisionBasis: "prior", candidates: [small] }, "75 % likely going by priors alone"]
    ] as const
  ) {
    it(`have words for ${what}`, () => {
      assert.include(overview([decided(but)]).decisions[0]?.rationale, words)
    })
  }

  it("an empty ledger has no days, no models and no decisions", () => {
    assert.deepStrictEqual(overview([]), {
      savingsByDay: [], clusterModels: [], clusterModelsLeftOut: 0, shadow: null,
      coverage: { n: 0, nVerdicts: 0, lanes: [], lanesLeftOut: 0, next: null }, judges: [], untriedCheaper: [],
      verdictsNeeded: [], spendByDay: [], modelCalls: [], baselines: [], decisions: []
    })
  })
})
