/* The comparison of decisions in shadow, in the answer of the dashboard endpoint. */
import { Schema } from "effect"
import { FollowedBasis } from "./FollowedSavings.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const ShadowLane = wire({
  lane: described(Schema.String, "The lane."),
  n: described(Schema.Int, "Its decisions in shadow, count.")
}, { identifier: "ShadowLane", description: "The decisions in shadow of one lane." })

/** Had the advice been followed: over decisions whose caller ran its own default, whatever the answer was. */
export const ShadowReport = wire({
  n: described(Schema.Int, "Decisions in shadow, count."),
  nFeedback: described(Schema.Int, "Those with feedback, count."),
  nBilled: described(
    Schema.Int,
    "Those with a bill that is no unconfirmed outlier, count, without calls that the infrastructure broke."
      + " The amounts below are over these."
  ),
  nSameModel: described(
    Schema.Int, "Those of `n_billed` that ran the recommended model: following changes nothing there, count."
  ),
  costUsd: described(UsdFigure, "Sum of the bills of the models that ran, in US dollars."),
  costFollowedUsd: described(
    UsdFigure,
    "Expected bills of the recommended models, in US dollars: their estimates times the ratio of"
      + " their bills to their estimates; without bills of their own, times that ratio of the model that ran."
  ),
  differenceUsd: described(
    UsdFigure,
    "`cost_usd` less `cost_followed_usd`: what following would have kept; below 0, it would have cost more."
      + " It is no saving, since nothing of it happened."
  ),
  differenceLowUsd: described(
    Schema.NullOr(UsdFigure),
    "Low end of a 95 % interval of `difference_usd`; null where a recommended model has no bill."
  ),
  differenceHighUsd: described(
    Schema.NullOr(UsdFigure), "High end of that interval; null with the low one."
  ),
  basis: described(
    FollowedBasis, "What `difference_usd` rests on; the bills and estimates are of the recommended models."
  ),
  nOutcomes: described(Schema.Int, "Outcomes of the models that ran and teach, count."),
  successRate: described(
    Schema.NullOr(Figure),
    "Their share of success, partial success counted as one half; null without outcomes. What the recommended"
      + " models would have achieved is in the report on policy value."
  ),
  successLow: described(Schema.NullOr(Figure), "Lower end of Wilson's 95 % interval of the rate."),
  successHigh: described(Schema.NullOr(Figure), "Upper end of Wilson's 95 % interval of the rate."),
  lanes: described(
    Schema.Array(ShadowLane), "The 100 lanes with most decisions in shadow, in the order of their names."
  )
}, {
  identifier: "ShadowReport",
  description: "Had the advice been followed: over decisions in shadow, whose caller ran its own default."
})
export type ShadowReport = typeof ShadowReport.Type
