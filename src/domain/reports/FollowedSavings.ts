/** The savings from following the advice. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"

export const FollowedBasis = Schema.Literals(["none", "same_model", "bills", "partly_estimate", "estimate"])
  .annotate({
    identifier: "FollowedBasis",
    description: "The costs from which a saving is computed. `none`: no recommendation counts in the saving. "
      + "`same_model`: the baseline ran, so nothing was saved. `bills`: every baseline's estimates are "
      + "scaled by its bills. `partly_estimate`: the estimates of only some baselines are scaled by bills. "
      + "`estimate`: no baseline has a bill."
  })

const isSignificant = described(
  nullable(Schema.Boolean),
  "Whether the sign of the saving is certain. The interval must exclude 0, also if each of `n_missing` had "
    + "cost nothing or twice its baseline. Null from a version without this figure."
)

const ListPriceSavings = wire({
  n: described(
    Schema.Int,
    "Recommendations that were followed, named a baseline, and have token counts but no bill, count. Costs "
      + "that are unconfirmed outliers and calls that the infrastructure broke are left out."
  ),
  nSameModel: described(
    Schema.Int, "Recommendations in `n` that ran the baseline itself and saved 0, count."
  ),
  costUsd: described(
    UsdFigure, "Cost of the tokens, in US dollars, at the list prices at the time of the report."
  ),
  costBaselineUsd: described(
    UsdFigure,
    "Expected cost of the baselines, in US dollars: their estimates times the ratio of their own costs at "
      + "list prices to their estimates."
  ),
  savingsUsd: described(UsdFigure, "`cost_baseline_usd` less `cost_usd`; negative if the advice cost more."),
  savingsLowUsd: described(
    Schema.NullOr(UsdFigure),
    "Lower end of the 95 % interval of `savings_usd`; null, for example, if a baseline has no such cost."
  ),
  savingsHighUsd: described(Schema.NullOr(UsdFigure), "Upper end of the 95 % interval of `savings_usd`; null "
    + "if the lower end is null."),
  basis: described(FollowedBasis, "Basis of `savings_usd`, with costs at list prices in place of bills."),
  nMissing: described(
    nullable(Schema.Int),
    "Recommendations like those in `n` with neither a bill nor token counts, count. Null from a version "
      + "without this figure."
  ),
  isSignificant,
  costToEstimateRatio: described(
    Schema.NullOr(Figure), "Mean factor on the baselines' estimates; null if nothing is estimated."
  ),
  nBaselineCosts: described(Schema.Int, "Costs of the baselines behind the ratios, count.")
}, {
  identifier: "ListPriceSavings",
  description: "Saving at list prices, over followed recommendations that have token counts and no bill. "
    + "Recommendations with a bill are in the saving by bills, not in the saving at list prices."
})

export const FollowedSavings = wire({
  nFollowed: described(
    Schema.Int, "Recommendations whose recommended model ran, with or without a bill and a baseline, count."
  ),
  followedShare: described(
    Schema.NullOr(Figure), "Share of `n_followed` among recommendations with feedback; null without feedback."
  ),
  n: described(
    Schema.Int,
    "Followed recommendations with a baseline and a bill, count. Unconfirmed outliers and calls that the "
      + "infrastructure broke are left out."
  ),
  nSameModel: described(
    Schema.Int, "Recommendations in `n` that ran the baseline itself and saved 0, count."
  ),
  costUsd: described(UsdFigure, "Sum of the bills of the recommendations in `n`, in US dollars."),
  costBaselineUsd: described(
    UsdFigure,
    "Expected bills of the baselines, in US dollars: their estimates times the ratio of their bills to their "
      + "estimates. A further try at a task adds nothing, because a baseline is assumed to run once; the "
      + "saving may be understated."
  ),
  savingsUsd: described(UsdFigure, "`cost_baseline_usd` less `cost_usd`; negative if the advice cost more."),
  savingsLowUsd: described(
    Schema.NullOr(UsdFigure),
    "Lower end of the 95 % interval of `savings_usd`; null, for example, if a baseline has no bill."
  ),
  savingsHighUsd: described(Schema.NullOr(UsdFigure), "Upper end of the 95 % interval of `savings_usd`; null "
    + "if the lower end is null."),
  basis: described(FollowedBasis, "Basis of `savings_usd`."),
  nMissing: described(
    nullable(Schema.Int),
    "Recommendations like those in `n` without a bill, count, those in `list_prices` included. Null from a "
      + "version without this figure."
  ),
  isSignificant,
  billToEstimateRatio: described(
    Schema.NullOr(Figure), "Mean factor on the baselines' estimates; null if nothing is estimated."
  ),
  nBaselineBills: described(Schema.Int, "Bills of the baselines behind the ratios, count."),
  listPrices: described(
    nullable(ListPriceSavings),
    "Saving at list prices, for recommendations with token counts and no bill. No figure above includes the "
      + "saving at list prices. Null from a version without this figure."
  )
}, {
  identifier: "FollowedSavings",
  description: "Saving from following the advice, by bills, over followed recommendations with a baseline "
    + "and a bill."
})
export type FollowedSavings = typeof FollowedSavings.Type
