/** Success and cost under the advice, compared with the caller's own model. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"
import { EstimateBasis } from "./PolicyValue.ts"

export const ComparisonLack = Schema.Literals([
  "baseline", "verified_outcomes", "followed_outcomes", "baseline_outcomes"
]).annotate({
  identifier: "ComparisonLack",
  description: "The first kind of data that a comparison lacks. `baseline`: no judged request named a "
    + "`baseline_model_id` among its candidates. `verified_outcomes`: there is no outcome that a gate or a "
    + "person judged. `followed_outcomes`: too few outcomes follow the advice. `baseline_outcomes`: too few "
    + "outcomes are about the baseline. Random picks (`epsilon_softmax`) provide outcomes of the baseline."
})
export type ComparisonLack = typeof ComparisonLack.Type

const share = (words: string) => described(Schema.NullOr(Figure), words)

const qualityFields = {
  n: described(Schema.Int, "First attempts with a verified outcome and a baseline among their candidates, "
    + "count."),
  nBaselineRan: described(Schema.Int, "First attempts that ran the baseline, count."),
  lacks: described(Schema.NullOr(ComparisonLack), "Missing data; null if success is compared below."),
  success: share("Estimated success of the recommended models, in [0, 1]."),
  successLow: share("Lower end of the 95 % interval of `success`."),
  successHigh: share("Upper end of the 95 % interval of `success`."),
  baselineSuccess: share("Estimated success of the declared baselines on the same requests, in [0, 1]."),
  baselineSuccessLow: share("Lower end of the 95 % interval of `baseline_success`."),
  baselineSuccessHigh: share("Upper end of the 95 % interval of `baseline_success`."),
  difference: share("`success` less `baseline_success`; negative if the advice succeeds less often."),
  differenceLow: share("Lower end of the 95 % interval of `difference`."),
  differenceHigh: share("Upper end of the 95 % interval of `difference`."),
  basis: described(
    Schema.NullOr(EstimateBasis), "Method of `baseline_success`, as in `GET /v1/policy-value`."
  )
}

export const SavingsComparison = wire({
  ...qualityFields,
  costPerCallUsd: described(
    nullable(UsdFigure),
    "Mean cost of a followed call, in US dollars: by the bills in `followed`, or at list prices without "
      + "bills. Null if no saving is known."
  ),
  baselineCostPerCallUsd: described(
    nullable(UsdFigure), "Estimated cost of the same calls with the baseline, in US dollars per call."
  )
}, {
  identifier: "SavingsComparison",
  description: "Success and cost under the advice, compared with the declared baseline. Success is a doubly "
    + "robust estimate from verified outcomes. The costs are those of followed recommendations."
})
export type SavingsComparison = typeof SavingsComparison.Type
