/** Decisions in shadow: callers run their own default model. */
import { Schema } from "effect"
import { FollowedBasis } from "./FollowedSavings.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const ShadowLane = wire({
  lane: described(Schema.String, "The lane."),
  n: described(Schema.Int, "The lane's decisions in shadow, count.")
}, { identifier: "ShadowLane", description: "The number of a lane's decisions in shadow, where callers run "
  + "their own default." })

export const ShadowReport = wire({
  n: described(Schema.Int, "Decisions in shadow, count."),
  nFeedback: described(Schema.Int, "Decisions with feedback, count."),
  nBilled: described(
    Schema.Int,
    "Decisions with a bill, count. Unconfirmed outliers and calls that the infrastructure broke are left "
      + "out. The amounts below cover these decisions."
  ),
  nSameModel: described(
    Schema.Int,
    "Decisions in `n_billed` that ran the recommended model, so that following changes nothing, count."
  ),
  costUsd: described(UsdFigure, "Sum of the bills of the models that ran, in US dollars."),
  costFollowedUsd: described(
    UsdFigure,
    "Expected bills of the recommended models, in US dollars: their estimates times their ratio of bills to "
      + "estimates. A model without bills gets the ratio of the model that ran."
  ),
  differenceUsd: described(
    UsdFigure,
    "`cost_usd` less `cost_followed_usd`: the possible saving; negative if following would have cost more."
  ),
  differenceLowUsd: described(
    Schema.NullOr(UsdFigure),
    "Lower end of the 95 % interval of `difference_usd`; null, for example, if a recommended model has no "
      + "bill."
  ),
  differenceHighUsd: described(
    Schema.NullOr(UsdFigure), "Upper end of the 95 % interval of `difference_usd`; null if the lower end is "
      + "null."
  ),
  basis: described(
    FollowedBasis, "Basis of `difference_usd`, with bills and estimates of the recommended models."
  ),
  nOutcomes: described(Schema.Int, "Outcomes that teach, of the models that ran, count."),
  successRate: described(
    Schema.NullOr(Figure),
    "Share of successes among the outcomes, partial ones counted as one half; null without outcomes. The "
      + "recommended models' success is in the report on policy value."
  ),
  successLow: described(Schema.NullOr(Figure), "Lower end of Wilson's 95 % interval of the rate."),
  successHigh: described(Schema.NullOr(Figure), "Upper end of Wilson's 95 % interval of the rate."),
  lanes: described(
    Schema.Array(ShadowLane), "The 100 lanes with the most decisions in shadow, sorted by name."
  )
}, {
  identifier: "ShadowReport",
  description: "Expected costs of the recommended models, compared with the bills of decisions in shadow, "
    + "where callers run their own default."
})
export type ShadowReport = typeof ShadowReport.Type
