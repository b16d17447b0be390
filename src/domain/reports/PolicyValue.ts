/** The answer of the report on routing policies. */
import { Schema } from "effect"
import { levelField } from "../model/VariantFields.ts"
import { Moment } from "../Time.ts"
import { Figure, UsdFigure } from "../Units.ts"
import { described, nullable, wire } from "../wire/Wire.ts"
import { windowFields } from "./Window.ts"

export const EstimateBasis = Schema.Literals([
  "empirical", "doubly-robust", "partly-model-based", "model-based"
]).annotate({
  identifier: "EstimateBasis",
  description: "The method of an estimate. `empirical`: the mean of outcomes. `doubly-robust`: a model of "
    + "outcomes, corrected for at least 95 % of the rows by at least 10 effective outcomes. "
    + "`partly-model-based`: a model of outcomes, corrected for fewer rows or by fewer outcomes than "
    + "`doubly-robust` asks for. `model-based`: the model of outcomes alone."
})
export type EstimateBasis = typeof EstimateBasis.Type

export const PolicyEstimate = wire({
  policy: described(
    Schema.String,
    "Name of the policy. `slider-5` picks by that `cost_quality_tradeoff`, `value-0.3` by that "
      + "`success_value_usd`. The values are chosen where other models of the log would be picked."
  ),
  modelId: described(
    nullable(Schema.String),
    "The model of `best-single`, chosen on the first half of the log and judged on the second; null for "
      + "other policies."
  ),
  ...levelField,
  n: described(Schema.Int, "Trusted recommendations behind the estimate, count."),
  successValue: described(Schema.NullOr(Figure), "Estimated success, in [0, 1]; null without an estimate."),
  costValue: described(
    Schema.NullOr(UsdFigure), "Estimated cost per call, in US dollars; null without an estimate."
  ),
  matchedShare: described(Figure, "Share of `n` for which the policy would pick the model that ran."),
  successLow: described(Schema.NullOr(Figure), "Lower end of the 95 % interval of `success_value`."),
  successHigh: described(Schema.NullOr(Figure), "Upper end of the 95 % interval of `success_value`."),
  effectiveSampleSize: described(
    Figure,
    "Number of equally weighted outcomes that would inform `success_value` as well, without the model of "
      + "outcomes."
  ),
  basis: described(EstimateBasis, "The method of `success_value`."),
  doublyRobustValue: described(nullable(Figure), "The doubly robust estimate of success."),
  ipsValue: described(
    nullable(Figure), "Success by self-normalised inverse propensity, over supported recommendations only."
  ),
  directValue: described(nullable(Figure), "Success by the model of outcomes alone."),
  supportedShare: described(
    nullable(Figure), "Share of `n` for which the log could have contained the model that the policy would "
      + "pick."
  )
}, { identifier: "PolicyEstimate", description: "Estimated value per call of one way to choose a model." })
export type PolicyEstimate = typeof PolicyEstimate.Type

const RegretReport = wire({
  nTrusted: described(Schema.Int, "Recommendations of a first attempt that a gate or a person judged, "
    + "count."),
  nTotalReconciled: described(Schema.Int, "Recommendations with feedback, count."),
  stochasticShare: described(Figure, "Share of trusted recommendations whose model was picked at random."),
  policies: described(Schema.Array(PolicyEstimate), "An estimate per policy."),
  regretVsOracle: described(
    Figure,
    "Success of a model-based oracle less that of the deployed policy; 0 until a trusted call followed the "
      + "policy."
  ),
  routingLift: described(
    nullable(Figure),
    "Success of the recommended models less success of the same models assigned at random. The routing lift "
      + "is the benefit of choosing a model per task."
  ),
  routingLiftLow: described(nullable(Figure), "Lower end of the 95 % interval of `routing_lift`."),
  routingLiftHigh: described(nullable(Figure), "Upper end of the 95 % interval of `routing_lift`."),
  routingLiftBasis: described(nullable(EstimateBasis), "The method for the random side of `routing_lift`.")
}, {
  identifier: "RegretReport",
  description: "Estimated values of routing policies, and the loss compared with the best policy."
})

export const PolicyValueResponse = wire({
  orgId: described(Schema.String, "The account."),
  since: described(Moment, "Start of the window, ISO 8601."),
  days: windowFields.days,
  namespace: windowFields.namespace,
  report: described(RegretReport, "The estimates.")
}, { identifier: "PolicyValueResponse", description: "Estimates of what other routing policies would have "
  + "achieved on the logged decisions." })
export type PolicyValueResponse = typeof PolicyValueResponse.Type
