/* Success and cost under the advice beside those of the caller's own model, in the answer of savings. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"
import { EstimateBasis } from "./PolicyValue.ts"

/** What a comparison of success still lacks, the first of these that it does. */
export const ComparisonLack = Schema.Literals([
  "baseline", "verified_outcomes", "followed_outcomes", "baseline_outcomes"
]).annotate({
  identifier: "ComparisonLack",
  description: "Data that a comparison lacks: `baseline`, no judged request named a `baseline_model_id`"
    + " among its candidates; `verified_outcomes`, no outcome of a gate or a person; `followed_outcomes`,"
    + " fewer than 30 of the advice; `baseline_outcomes`, fewer than 30 that tell of the baseline: draw some"
    + " picks at random (`selection_policy`)."
})
export type ComparisonLack = typeof ComparisonLack.Type

const share = (words: string) => described(Schema.NullOr(Figure), words)

/** Success under the advice and under the baseline, on the same requests. */
const qualityFields = {
  n: described(
    Schema.Int, "Requests with a verified outcome that named a baseline among their candidates, count."
  ),
  nBaselineRan: described(Schema.Int, "Those on which the baseline ran, count."),
  lacks: described(
    Schema.NullOr(ComparisonLack), "Missing data for a comparison; null if success is compared below."
  ),
  success: share("Estimated success of the recommended models on them, in [0, 1]."),
  successLow: share("Lower end of its 95 % interval."),
  successHigh: share("Upper end of its 95 % interval."),
  baselineSuccess: share("Estimated success of the declared baselines on the same requests, in [0, 1]."),
  baselineSuccessLow: share("Lower end of its 95 % interval."),
  baselineSuccessHigh: share("Upper end of its 95 % interval."),
  difference: share("`success` less `baseline_success`; below 0, the advice succeeds less often."),
  differenceLow: share("Lower end of its 95 % interval."),
  differenceHigh: share("Upper end of its 95 % interval."),
  basis: described(
    Schema.NullOr(EstimateBasis), "How `baseline_success` was estimated, as in `GET /v1/policy-value`."
  )
}

export const SavingsComparison = wire({
  ...qualityFields,
  costPerCallUsd: described(
    nullable(UsdFigure),
    "Mean cost of a followed call, in US dollars: of `followed` by the bills, or at list prices without any;"
      + " null where no saving is known."
  ),
  baselineCostPerCallUsd: described(
    nullable(UsdFigure), "Estimated cost of the same calls with the baseline, in US dollars per call."
  )
}, {
  identifier: "SavingsComparison",
  description: "A saving beside its quality: success and cost of the advice against the declared baseline. "
    + "Success is by doubly robust estimates on verified outcomes, costs are those of `followed`."
})
export type SavingsComparison = typeof SavingsComparison.Type
