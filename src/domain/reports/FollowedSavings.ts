/* The savings of followed advice, in the answer of the savings report. */
import { Schema } from "effect"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"

export const FollowedBasis = Schema.Literals(["none", "same_model", "bills", "partly_estimate", "estimate"])
  .annotate({
    identifier: "FollowedBasis",
    description: "Basis of a saving: `none`, there is no such recommendation; `same_model`, the baseline"
      + " is the model that ran, so nothing was saved; `bills`, the estimates of every baseline are scaled by"
      + " bills of it; `partly_estimate`, of some only; `estimate`, no baseline has a bill, so its estimate"
      + " is unchecked."
  })

const isSignificant = described(
  nullable(Schema.Boolean),
  "Whether it is surely a saving, or surely a loss: the interval is on one side of 0, and would be if each of"
    + " `n_missing` had cost nothing, or twice what its baseline would have; null from a version that lacks"
    + " it."
)

/** Savings at list prices over decisions whose model that ran was the pick. */
const ListPriceSavings = wire({
  n: described(
    Schema.Int,
    "Recommendations whose model that ran was the pick, that named a baseline and have token counts but no"
      + " bill, count, without unconfirmed outliers and calls that the infrastructure broke."
  ),
  nSameModel: described(Schema.Int, "Those of `n` that ran the baseline itself and saved exactly 0, count."),
  costUsd: described(
    UsdFigure, "Sum of what their tokens cost at the list prices of when they were reported, in US dollars."
  ),
  costBaselineUsd: described(
    UsdFigure,
    "Expected cost of the baselines, in US dollars: their estimates times the ratio of their own costs at"
      + " list prices to their estimates."
  ),
  savingsUsd: described(UsdFigure, "`cost_baseline_usd` less `cost_usd`; below 0, the advice cost more."),
  savingsLowUsd: described(
    Schema.NullOr(UsdFigure),
    "Low end of a 95 % interval of `savings_usd`; null where a baseline has no cost at list prices."
  ),
  savingsHighUsd: described(Schema.NullOr(UsdFigure), "High end of that interval; null with the low one."),
  basis: described(
    FollowedBasis, "What `savings_usd` rests on, with costs at list prices in the place of bills."
  ),
  nMissing: described(
    nullable(Schema.Int),
    "Recommendations like those of `n` with neither a bill nor token counts, count; null from a version that"
      + " lacks it."
  ),
  isSignificant,
  costToEstimateRatio: described(
    Schema.NullOr(Figure),
    "By how much the baselines' estimates are multiplied, on average; null where nothing is estimated."
  ),
  nBaselineCosts: described(Schema.Int, "Costs of the baselines that the ratios rest on, count.")
}, {
  identifier: "ListPriceSavings",
  description: "Saving at list prices from following the advice, over recommendations with token counts and"
    + " no bill. No recommendation counts here and by its bill."
})

/** Savings over decisions whose model that ran was the pick: by the bills, and separately at list prices. */
export const FollowedSavings = wire({
  nFollowed: described(
    Schema.Int,
    "Recommendations whose model that ran was the pick, with or without a bill and a baseline, count."
  ),
  followedShare: described(
    Schema.NullOr(Figure), "Their share of the recommendations with feedback; null without feedback."
  ),
  n: described(
    Schema.Int,
    "Those of them that named a baseline and have a bill that is no unconfirmed outlier, count, without calls"
      + " that the infrastructure broke. The figures below are over these."
  ),
  nSameModel: described(Schema.Int, "Those of `n` that ran the baseline itself and saved exactly 0, count."),
  costUsd: described(UsdFigure, "Sum of their bills, in US dollars."),
  costBaselineUsd: described(
    UsdFigure,
    "Expected bills of the baselines, in US dollars: their estimates times the ratio of their bills to their"
      + " estimates. A further attempt at a task adds nothing, because a baseline would run once."
      + " Where it would have been tried again too, the saving is understated."
  ),
  savingsUsd: described(UsdFigure, "`cost_baseline_usd` less `cost_usd`; below 0, the advice cost more."),
  savingsLowUsd: described(
    Schema.NullOr(UsdFigure),
    "Low end of a 95 % interval of `savings_usd`; null where a baseline has no bill."
  ),
  savingsHighUsd: described(Schema.NullOr(UsdFigure), "High end of that interval; null with the low one."),
  basis: described(FollowedBasis, "What `savings_usd` rests on."),
  nMissing: described(
    nullable(Schema.Int),
    "Recommendations like those of `n` without a bill, count, those of `list_prices` among them; null from a"
      + " version that lacks it."
  ),
  isSignificant,
  billToEstimateRatio: described(
    Schema.NullOr(Figure),
    "By how much the baselines' estimates are multiplied, on average; null where nothing is estimated."
  ),
  nBaselineBills: described(Schema.Int, "Bills of the baselines that the ratios rest on, count."),
  listPrices: described(
    nullable(ListPriceSavings),
    "The same of recommendations with token counts and no bill, at list prices. In none of the figures above;"
      + " null from a version that lacks it."
  )
}, {
  identifier: "FollowedSavings",
  description: "Saving by the bills from following the advice. It counts recommendations that named a"
    + " baseline, have a bill, and ran the pick."
})
export type FollowedSavings = typeof FollowedSavings.Type
