import { assert, describe, it } from "@effect/vitest"
import { policyValue } from "../../src/reports/PolicyValue.ts"
import { decided, reported } from "./rows.ts"

describe("policy value", () => {
  it("without trusted rows there is nothing to say", () => {
    const rows = [decided(), reported({ provenance: "judge" }), reported({ teaches: false })]
    assert.deepStrictEqual(policyValue(rows), {
      nTrusted: 0,
      nTotalReconciled: 2,
      stochasticShare: 0,
      policies: [],
      regretVsOracle: null,
      routingLift: null,
      routingLiftLow: null,
      routingLiftHigh: null,
      routingLiftBasis: null
    })
  })

  // Followed: success, failure, partial: 1.5 / 3. Cost (0.125 + 0.25 + 0.25) / 3. Oracle 0.95 on every row.
  it("the deployed policy is judged on the trusted rows that followed it", () => {
    const report = policyValue([
      reported({ actualCostUsd: 0.125 }),
      reported({ outcome: "failure", provenance: "human" }, { propensity: 0.5 }),
      reported({ outcome: "partial" }),
      reported({ chosenModelId: "large" }),
      reported({ provenance: "assertion" })
    ])
    const [deployed] = report.policies
    assert.strictEqual(report.nTrusted, 4)
    assert.strictEqual(report.nTotalReconciled, 5)
    assert.strictEqual(report.stochasticShare, 0.25)
    assert.strictEqual(deployed?.policy, "deployed")
    assert.strictEqual(deployed?.n, 4)
    assert.strictEqual(deployed?.matchedShare, 0.75)
    assert.strictEqual(deployed?.effectiveSampleSize, 3)
    assert.strictEqual(deployed?.basis, "empirical")
    assert.closeTo(deployed?.successValue ?? NaN, 0.5, 1e-12)
    assert.closeTo(deployed?.costValue ?? NaN, 0.625 / 3, 1e-12)
    // Wilson for 1.5 of 3: 0.5 -+ 1.96 * sqrt(1/12 + 3.8415/36) / (1 + 3.8415/3) = 0.5 -+ 0.3746
    assert.closeTo(deployed?.successLow ?? NaN, 0.1254, 1e-3)
    assert.closeTo(deployed?.successHigh ?? NaN, 0.8746, 1e-3)
    assert.closeTo(report.regretVsOracle ?? NaN, 0.45, 1e-12)
  })

  it("callers who never follow the advice leave its value unknown", () => {
    const { policies, regretVsOracle } = policyValue([reported({ chosenModelId: "large" })])
    assert.strictEqual(policies[0]?.successValue, null)
    assert.strictEqual(policies[0]?.costValue, null)
    assert.strictEqual(policies[0]?.successLow, null)
    assert.strictEqual(policies[0]?.matchedShare, 0)
    assert.strictEqual(regretVsOracle, null)
  })
})
