/* The answer of the report on routing policies. */
import { Schema } from "effect"
import { levelField } from "../model/VariantFields.ts"
import { Moment } from "../Time.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"

/**
 * How `success_value` was estimated. `empirical`: the mean of what happened. `doubly-robust`: the outcome
 * model, corrected by outcomes that represent (nearly) all rows. `partly-model-based`: corrected on a part of
 * the rows or by a handful of outcomes. `model-based`: by the outcome model alone, since the log has no
 * outcome of the policy.
 */
export const EstimateBasis = Schema.Literals([
  "empirical", "doubly-robust", "partly-model-based", "model-based"
]).annotate({
  identifier: "EstimateBasis",
  description: "How an estimate was made: `empirical`, the mean of what happened; `doubly-robust`, a model "
    + "of outcomes corrected by outcomes that represent nearly all rows; `partly-model-based`, corrected on "
    + "a part of the rows or by a handful of outcomes; `model-based`, by the model of outcomes alone."
})
export type EstimateBasis = typeof EstimateBasis.Type

/** Success in [0, 1] and cost in US dollars per call of one way of choosing a model. */
export const PolicyEstimate = wire({
  policy: described(
    Schema.String,
    "Name of the policy; `slider-5` picks by that `cost_quality_tradeoff`, `value-0.3` by that"
      + " `success_value_usd`: at values among which this log's picks change."
  ),
  modelId: described(
    nullable(Schema.String),
    "The model of `best-single`, chosen on the first half of the log and judged on the second; null for"
      + " other policies."
  ),
  ...levelField,
  n: described(Schema.Int, "Trusted recommendations that it was judged on, count."),
  successValue: described(Schema.NullOr(Figure), "Estimated success, in [0, 1]; null without an estimate."),
  costValue: described(
    Schema.NullOr(UsdFigure), "Estimated cost per call, in US dollars; null without an estimate."
  ),
  matchedShare: described(
    Figure, "Share of `n` on which the policy picks the model that ran."
  ),
  successLow: described(Schema.NullOr(Figure), "Lower end of the 95 % interval of `success_value`."),
  successHigh: described(Schema.NullOr(Figure), "Upper end of the 95 % interval of `success_value`."),
  effectiveSampleSize: described(
    Figure, "How many equally weighted outcomes `success_value` rests on, the model of outcomes left out."
  ),
  basis: described(EstimateBasis, "How `success_value` was estimated."),
  doublyRobustValue: described(nullable(Figure), "The doubly robust estimate of success."),
  ipsValue: described(
    nullable(Figure),
    "Success by self-normalised inverse propensity, about the supported recommendations only."
  ),
  directValue: described(nullable(Figure), "Success by the model of outcomes alone."),
  supportedShare: described(
    nullable(Figure), "Share of `n` on which the log could have shown the policy's pick."
  )
}, {
  identifier: "PolicyEstimate",
  description: "Estimated value per call of one way of choosing a model."
})
export type PolicyEstimate = typeof PolicyEstimate.Type

const RegretReport = wire({
  nTrusted: described(Schema.Int, "Recommendations with a label of a gate or a person, count."),
  nTotalReconciled: described(Schema.Int, "Recommendations with feedback, count."),
  stochasticShare: described(Figure, "Share of the trusted ones whose pick was random."),
  policies: described(Schema.Array(PolicyEstimate), "An estimate per policy."),
  regretVsOracle: described(
    Figure,
    "Success of a model-based oracle less that of the deployed policy; 0 as long as no trusted call"
      + " followed it."
  ),
  routingLift: described(
    nullable(Figure),
    "Success of the recommended models less that of the same models assigned at random: what choosing"
      + " per task adds."
  ),
  routingLiftLow: described(nullable(Figure), "Lower end of the 95 % interval of `routing_lift`."),
  routingLiftHigh: described(nullable(Figure), "Upper end of the 95 % interval of `routing_lift`."),
  routingLiftBasis: described(
    nullable(EstimateBasis), "How the random side of `routing_lift` was estimated."
  )
}, {
  identifier: "RegretReport",
  description: "Estimated values of routing policies, and the loss against the best."
})

export const PolicyValueResponse = wire({
  orgId: described(Schema.String, "The account."),
  since: described(Moment, "Beginning of the window, ISO 8601."),
  days: described(Schema.Finite, "Days of the window, up to now."),
  namespace: described(
    nullable(Schema.String), "The namespace that was asked for; null for all lanes of the account."
  ),
  report: described(RegretReport, "The estimates.")
}, { identifier: "PolicyValueResponse", description: "Off-policy estimates of routing policies." })
export type PolicyValueResponse = typeof PolicyValueResponse.Type
