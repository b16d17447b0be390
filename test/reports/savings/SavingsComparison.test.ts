import { assert, describe, it } from "@effect/vitest"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { columnsOf } from "../../../src/reports/OutcomeColumns.ts"
import { policyWorths } from "../../../src/reports/PolicyWorth.ts"
import { comparisonOf } from "../../../src/reports/savings/Savings.ts"
import { isReconciled } from "../reference/Reconciled.ts"
import { outcomeColumns } from "../reference/OutcomeColumns.ts"
import { trustedOf } from "../reference/PolicyValue.ts"
import { savings } from "../reference/Savings.ts"
import { decided, reported } from "../rows.ts"
import { epsilonSoftmax, logOf, makeWorld } from "../../simulation/world.ts"
import { idOf } from "../../support/builders.ts"

const compared = (rows: ReadonlyArray<LedgerRow>) => {
  const { quality } = policyWorths(columnsOf(trustedOf(rows)))
  return comparisonOf(quality, savings(rows, null).summary)!
}

const named = { baselineModelId: "large", costDeclaredUsd: 1 } as const

/** So many rows; the pick of each second one was drawn, and is the baseline on every fourth. */
const drawn = (count: number, row: Parameters<typeof reported>[1] = named, failEvery = 4) =>
  Array.from({ length: count }, (_, index) => {
    const isLarge = index % 4 === 0
    const pick = isLarge ? "large" : "small"
    const isFailed = !isLarge && index % failEvery === 1
    return reported(
      { chosenModelId: pick, outcome: isFailed ? "failure" : "success", actualCostUsd: isLarge ? 0.5 : 0.125 },
      { ...row, recommendationId: idOf(`rec-${index}`), recommendedModelId: pick, propensity: isLarge ? 0.25 : 0.75, costRecommendedUsd: isLarge ? 1 : 0.25 }
    )
  })

describe("the comparison of success", () => {
  it("says what it lacks first, and gives no figure then", () => {
    const of = (rows: ReadonlyArray<LedgerRow>) => {
      const { difference, lacks, success } = compared(rows)
      assert.isNull(difference)
      assert.isNull(success)
      return lacks
    }
    assert.strictEqual(of([]), "baseline")
    assert.strictEqual(of(drawn(200, {})), "baseline")
    assert.strictEqual(of(drawn(200, { ...named, baselineModelId: "no candidate" })), "baseline")
    assert.strictEqual(of([decided(named), reported({ provenance: "judge" }, named)]), "verified_outcomes")
    assert.strictEqual(of(drawn(20)), "followed_outcomes")
    assert.strictEqual(of(Array.from({ length: 200 }, (_, i) => reported({}, { ...named, recommendationId: idOf(`r${i}`) }))), "baseline_outcomes")
  })

  // Three of four picks are small, and a third of these fail; large never fails.
  it("gives both sides and their difference with intervals, and what a call of the saving cost", () => {
    const { lacks, ...of } = compared(drawn(800))
    assert.isNull(lacks)
    assert.strictEqual(of.n, 800)
    assert.strictEqual(of.nBaselineRan, 200)
    assert.strictEqual(of.basis, "doubly-robust")
    assert.closeTo(of.success ?? NaN, 0.75, 0.01)
    assert.closeTo(of.baselineSuccess ?? NaN, 1, 0.02)
    assert.closeTo(of.difference ?? NaN, (of.success ?? NaN) - (of.baselineSuccess ?? NaN), 1e-12)
    assert.isAbove(of.differenceLow ?? NaN, -0.4)
    assert.isBelow(of.differenceHigh ?? NaN, 0)
    assert.closeTo(of.costPerCallUsd ?? NaN, 0.21875, 1e-9)
    assert.closeTo(of.baselineCostPerCallUsd ?? NaN, 0.5, 0.01)
  })

  it("counts calls of the baseline as its own side only where it was a candidate", () => {
    const half = drawn(800).map(({ decision, feedback }, index) =>
      ({ decision: { ...decision, baselineModelId: index < 400 ? "large" : null }, feedback }))
    assert.strictEqual(compared(half).n, 400)
  })

  it("holds the truth in nine of ten worlds at least, also where difficulty is hidden", () => {
    const logging = epsilonSoftmax(0.1)
    let [covered, judged] = [0, 0]
    for (let seed = 1; seed <= 24; seed++) {
      const world = makeWorld({ seed, hiddenDifficulty: seed % 2 })
      const rows = logOf(world, { rows: 2_000, logging }).map(({ decision, feedback }): LedgerRow =>
        ({ decision: { ...decision, baselineModelId: "premium", costDeclaredUsd: 1 }, feedback }))
      const { differenceHigh: high, differenceLow: low } = policyWorths(outcomeColumns(rows.filter(isReconciled))).quality
      if (high === null || low === null) continue
      let truth = 0
      for (let i = 0; i < 5000; i++) {
        const situation = world.situation()
        const own = situation.truths[situation.candidates.findIndex(({ modelId }) => modelId === "premium")]!
        logging(situation).forEach((share, at) => truth += share * (situation.truths[at]! - own) / 5000)
      }
      judged += 1
      covered += low <= truth && truth <= high ? 1 : 0
    }
    assert.isAtLeast(judged, 10)
    assert.isAtLeast(covered / judged, 0.9)
  })
})
