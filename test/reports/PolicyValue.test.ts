import { assert, describe, it } from "@effect/vitest"
import type { LedgerRow } from "../../src/domain/Decision.ts"
import { policyValue } from "./reference/PolicyValue.ts"
import { decided, reported } from "../reports/rows.ts"
import { idOf } from "../support/builders.ts"

describe("policy value", () => {
  it("without trusted rows there is nothing to say", () => {
    const rows = [decided(), reported({ provenance: "judge" }), reported({ teaches: false })]
    assert.deepStrictEqual(policyValue(rows), {
      nTrusted: 0,
      nTotalReconciled: 2,
      stochasticShare: 0,
      policies: [],
      regretVsOracle: 0,
      routingLift: null,
      routingLiftLow: null,
      routingLiftHigh: null,
      routingLiftBasis: null
    })
  })

  // Success, failure, partial: 1.5 / 3. Cost (0.125 + 0.25 + 0.25) / 3. Oracle 0.95 on every row.
  it("the deployed policy is counted where every trusted row followed it", () => {
    const report = policyValue([
      reported({ actualCostUsd: 0.125 }),
      reported({ outcome: "failure", provenance: "human" }, { propensity: 0.5 }),
      reported({ outcome: "partial" }),
      reported({ provenance: "assertion" })
    ])
    const [deployed] = report.policies
    assert.strictEqual(report.nTrusted, 3)
    assert.strictEqual(report.nTotalReconciled, 4)
    assert.closeTo(report.stochasticShare, 1 / 3, 1e-12)
    assert.strictEqual(deployed?.policy, "deployed")
    assert.strictEqual(deployed?.n, 3)
    assert.strictEqual(deployed?.matchedShare, 1)
    assert.strictEqual(deployed?.effectiveSampleSize, 3)
    assert.strictEqual(deployed?.basis, "empirical")
    assert.closeTo(deployed?.successValue ?? NaN, 0.5, 1e-12)
    assert.closeTo(deployed?.costValue ?? NaN, 0.625 / 3, 1e-12)
    // Wilson for 1.5 of 3: 0.5 -+ 1.96 * sqrt(1/12 + 3.8415/36) / (1 + 3.8415/3) = 0.5 -+ 0.3746
    assert.closeTo(deployed?.successLow ?? NaN, 0.1254, 1e-3)
    assert.closeTo(deployed?.successHigh ?? NaN, 0.8746, 1e-3)
    assert.closeTo(report.regretVsOracle, 0.45, 1e-12)
  })

  // Easy tasks are followed and go well; of the hard ones, which go badly, nine of ten are overruled.
  it("callers who overrule the advice where it is bad do not make it look good", () => {
    const { policies } = policyValue(Array.from({ length: 2_000 }, (_, index) => {
      const isHard = index % 2 === 0
      const isOverruled = isHard && index % 20 !== 0
      const isBad = isHard ? !isOverruled && index % 100 < 60 : index % 20 === 1
      return reported(
        { outcome: isBad ? "failure" : "success", ...(isOverruled ? { chosenModelId: "large" } : {}) },
        { recommendationId: idOf(`rec-${index}`), cluster: isHard ? "code:hard" : "code:easy" }
      )
    }))
    const [deployed, cheapestEligible] = policies
    // Followed rows alone: 940 of 1,100 succeed. Of all tasks: 0.9 and 0.4, half and half.
    assert.closeTo(deployed?.successValue ?? NaN, 0.65, 0.06)
    assert.closeTo(deployed?.successValue ?? NaN, cheapestEligible?.successValue ?? NaN, 0.02)
    assert.notStrictEqual(deployed?.basis, "empirical")
  })

  it("advice that is never followed is valued by predictions alone, and has no regret", () => {
    const { policies, regretVsOracle } = policyValue([reported({ chosenModelId: "large" })])
    assert.strictEqual(policies[0]?.basis, "model-based")
    assert.strictEqual(policies[0]?.matchedShare, 0)
    assert.strictEqual(regretVsOracle, 0)
  })
})

describe("the other policies", () => {
  const names = [
    "deployed", "cheapest-eligible", "always-premium", "always-cheapest", "best-single",
    "slider-0", "slider-2.5", "slider-5", "slider-7.5", "slider-10", "value-4", "value-10", "value-40"
  ]
  const judged = (rows: ReadonlyArray<LedgerRow>) => {
    const { policies } = policyValue(rows)
    return (name: string) => policies.find(({ policy }) => policy === name) ?? assert.fail(name)
  }
  const ids = (count: number, row: (index: number) => LedgerRow): ReadonlyArray<LedgerRow> =>
    Array.from({ length: count }, (_, index) => {
      const { decision, feedback } = row(index)
      return { decision: { ...decision, recommendationId: idOf(`rec-${index}`) }, feedback }
    })

  it("are nine and the values among which picks change, in a fixed order, each in its interval", () => {
    const { policies } = policyValue(ids(60, (index) =>
      reported({ outcome: index % 3 === 0 ? "failure" : "success" }, { propensity: 0.9 })))
    assert.deepStrictEqual(policies.map(({ policy }) => policy), names)
    for (const { successHigh, successLow, successValue } of policies) {
      assert.isAtMost(successLow ?? NaN, successValue ?? NaN)
      assert.isAtLeast(successHigh ?? NaN, successValue ?? NaN)
    }
  })

  it("where every pick was certain: the pick's own policy is known, others are the model's word", () => {
    const of = judged(ids(400, (index) => reported({ outcome: index % 4 === 0 ? "failure" : "success" })))
    assert.strictEqual(of("cheapest-eligible").basis, "doubly-robust")
    assert.closeTo(of("cheapest-eligible").successValue ?? NaN, 0.75, 0.01)
    assert.strictEqual(of("always-premium").basis, "model-based")
    assert.strictEqual(of("always-premium").matchedShare, 0)
    assert.isNull(of("always-premium").ipsValue)
    const width = (name: string) => (of(name).successHigh ?? NaN) - (of(name).successLow ?? NaN)
    assert.isAbove(width("always-premium"), 2 * width("cheapest-eligible"))
  })

  it("the best single model is chosen on the first half and judged on the second", () => {
    const of = judged(ids(200, (index) => {
      const modelId = index % 2 === 0 ? "small" : "large"
      const isEarly = index < 100
      const outcome = (modelId === "large") === isEarly ? "success" : "failure"
      return reported({ chosenModelId: modelId, outcome }, { recommendedModelId: modelId })
    }))
    assert.deepInclude(of("best-single"), { modelId: "large", n: 100, matchedShare: 0.5 })
    assert.isNull(of("deployed").modelId)
    assert.strictEqual(of("deployed").n, 200)
  })

  it("the slider is applied again to what was predicted", () => {
    const of = judged(ids(40, () => reported()))
    // 0.75 for small, 0.95 for large: tau is 0.735 at 5 and 0.8275 at 7.5.
    assert.strictEqual(of("slider-5").matchedShare, 1)
    assert.strictEqual(of("slider-7.5").matchedShare, 0)
  })

  it("cost is the bill of the model that ran, also 0, and a corrected estimate for others", () => {
    const of = judged(ids(2000, (index) => reported({ actualCostUsd: index % 2 === 0 ? 0 : 1 })))
    assert.closeTo(of("deployed").costValue ?? NaN, 0.5, 1e-9)
    // Bills are twice the estimates of 0.25, so the dear model's estimate of 1 counts as about 2.
    assert.closeTo(of("always-premium").costValue ?? NaN, 2, 0.1)
  })

  it("advice costs what it was on every row: those who overrule it do not make it cheap", () => {
    const of = judged(ids(400, (index) =>
      reported(index % 2 === 0 ? { actualCostUsd: 0.25 } : { actualCostUsd: 1, chosenModelId: "large" })))
    // Bills are what was estimated: 0.25 for the small model, whether or not it ran.
    assert.closeTo(of("deployed").costValue ?? NaN, 0.25, 1e-9)
    assert.closeTo(of("cheapest-eligible").costValue ?? NaN, 0.25, 1e-9)
  })

  it("the label is that of the model that ran: a caller's own choice teaches of that model alone", () => {
    const of = judged(ids(600, (index) =>
      index % 2 === 0 ? reported() : reported({ chosenModelId: "large", outcome: "failure" })))
    assert.closeTo(of("deployed").successValue ?? NaN, 1, 0.01)
    assert.isBelow(of("always-premium").successValue ?? NaN, 0.2)
    assert.strictEqual(of("always-premium").effectiveSampleSize, 0)
    assert.strictEqual(of("always-premium").matchedShare, 0.5)
  })
})
