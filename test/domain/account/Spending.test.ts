import { assert, describe, it } from "@effect/vitest"
import { type SpendingDecision, spendOf } from "../../../src/domain/account/Spending.ts"
import type { ReportedOutcome } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import recorded from "./spending.json" with { type: "json" }

type Sums = readonly [billed: number, billedEstimate: number, waiting: number, leftOut: number, margin: number]

describe("what a decision has cost", () => {
  it("is for drawn decisions what the former function of the database gave", () => {
    assert.lengthOf(recorded, 62)
    for (const { candidates, outcomes, spend, ...decision } of recorded) {
      const given = {
        ...decision,
        candidates: candidates.map(([modelId, , estCostUsd]) => ({ modelId, estCostUsd }))
      } as unknown as SpendingDecision
      const { billedEstimateUsd, billedUsd, leftOutUsd, marginUsd, waitingUsd } =
        spendOf(given, outcomes as unknown as ReadonlyArray<ReportedOutcome>)
      const sums: Sums = [billedUsd, billedEstimateUsd, waitingUsd, leftOutUsd, marginUsd]
      sums.forEach((sum, at) => assert.closeTo(sum, spend[at]!, 1e-12 * Math.max(1, spend[at]!), JSON.stringify(decision)))
    }
  })
})
