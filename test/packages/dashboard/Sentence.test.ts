import { assert, describe, it } from "@effect/vitest"
import type { Answers } from "../../../packages/dashboard/src/Answers.ts"
import { sentence } from "../../../packages/dashboard/src/Sentence.ts"
import type { LedgerRow } from "../../../src/domain/Decision.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn } from "./answers.ts"

const ofLarge = { baselineModelId: "large", costDeclaredUsd: 500 }
const own = Array.from({ length: 40 }, () => reported({ chosenModelId: "large", actualCostUsd: 500 }, ofLarge))
const followed = Array.from({ length: 40 }, () => reported({ actualCostUsd: 125 }, ofLarge))

type Comparison = NonNullable<Answers["savings"]["comparison"]>

const said = (rows: ReadonlyArray<LedgerRow>, comparison: Partial<Comparison> = {}) => {
  const answers = answersOn(rows)
  const compared = { ...answers.savings.comparison!, ...comparison }
  return sentence({ ...answers, savings: { ...answers.savings, comparison: compared } }).replaceAll("\u00a0", " ")
}

const compared = (difference: number, low: number, high: number) => ({
  lacks: null, success: 0.8, baseline_success: 0.8 - difference, difference, difference_low: low, difference_high: high,
  cost_per_call_usd: 12, baseline_cost_per_call_usd: 15
})

describe("the sentence", () => {
  it("names the own model, what it would have cost, and what each lost success saved", () => {
    assert.strictEqual(said(followed, compared(-0.04, -0.08, 0)), "$5,000 spent; what your own model would have cost is"
      + " not known; success −4.0 points (−8.0 to 0.0). That is $75.00 saved per success lost.")
    assert.match(said([...own, ...followed], compared(-0.04, -0.08, -0.01)),
      /^\$25,000 spent; large for the 40 of 80 calls that compare would have made it \$40,000; success −4\.0 points/)
  })

  it("says how much of it is at list prices, and that everything is compared where it is", () => {
    const listed = Array.from({ length: 3 }, () => reported({ actualCostUsd: null, computedCostUsd: 125 }, ofLarge))
    assert.match(said([...own, ...followed, ...listed]), /^\$25,375 spent, 1 % of it at list prices; /)
    const same = Array.from({ length: 40 }, () => reported({ actualCostUsd: 125 }, { ...ofLarge, baselineModelId: "small" }))
    assert.match(said(same), /small for everything would have cost \$5,000/)
  })

  it("claims no trade where success is not told apart, and says who wins where it is", () => {
    assert.include(said(followed, compared(-0.01, -0.05, 0.03)), "Which succeeds more often is not known.")
    assert.include(said(followed, compared(0.04, 0.01, 0.08)), "It costs less and succeeds more.")
    const dear = { ...compared(0.04, 0.01, 0.08), cost_per_call_usd: 18 }
    assert.include(said(followed, dear), "That is $75.00 paid per success gained.")
    assert.include(said(followed, { ...compared(-0.04, -0.08, -0.01), cost_per_call_usd: 18 }), "costs more and succeeds less")
  })

  it("claims no trade where the saving may as well be a loss", () => {
    const bills = [100, 900].flatMap((actualCostUsd) => Array.from({ length: 20 }, () =>
      reported({ chosenModelId: "large", actualCostUsd }, ofLarge)))
    const even = Array.from({ length: 4 }, () => reported({ actualCostUsd: 500 }, ofLarge))
    assert.include(said([...bills, ...even], compared(-0.04, -0.08, -0.01)), "What it saved is not sure.")
  })

  it("claims no saving where no cost is known, or no model was named", () => {
    assert.strictEqual(said([decided(), reported({})]),
      "2 calls advised; what they cost is not known, since no report has a bill or tokens.")
    assert.include(said([reported({ actualCostUsd: 3 })]), "1 call advised: $3.00 spent. What it saved is not known yet.")
  })
})
