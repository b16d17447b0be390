/* The report of one decision, which the page "why this model" shows. */
import { Schema } from "effect"
import { baselineFields, pickFields, variantFields } from "../model/VariantFields.ts"
import { CostSource, ErrorCause, Outcome } from "../feedback/Feedback.ts"
import { DecisionBasis } from "../RankedModel.ts"
import { SelectionPolicy } from "../Recommendation.ts"
import { SentId } from "../RecommendationId.ts"
import { KeptSignals } from "../RunSignals.ts"
import { Moment } from "../Time.ts"
import { Figure, Price, Share, UsdFigure } from "../Units.ts"
import { described, wire } from "../wire/Wire.ts"

const KeptForecast = wire({
  base: described(Share, "By the outcomes of the task type, tags left out."),
  cells: described(Share, "By the outcomes of the most specific kind of task."),
  local: described(Share, "By the outcomes of similar tasks."),
  mixed: described(Share, "By all of them together, optimism left out.")
}, { identifier: "KeptForecast", description: "The success that each predictor expected of a model." })

/** Why a candidate was not what the rule takes, as far as the ledger knows. */
const CandidateStanding = Schema.Literals([
  "recommended", "eligible", "below_threshold", "excluded"
]).annotate({
  identifier: "CandidateStanding",
  description: "`recommended`, the pick; `eligible`, it reached the threshold within the constraints;"
    + " `below_threshold`, its predicted success did not reach it; `excluded`, it did, and a constraint or a"
    + " guarantee ruled it out."
})

const KeptCandidate = wire({
  ...variantFields("The model."),
  standing: described(CandidateStanding, "Whether it could have been picked."),
  predictedSuccess: described(Figure, "Its predicted success."),
  estCostUsd: described(UsdFigure, "Its estimated cost, in US dollars."),
  forecast: described(
    Schema.NullOr(KeptForecast), "The success that each predictor expected of it; null if none was kept."
  ),
  nNeighbours: described(Schema.Int, "Outcomes of it on similar tasks that were recalled, count."),
  neighbourWeight: described(
    Schema.NullOr(Figure), "Their share of the weight of all recalled outcomes; null where none was recalled."
  )
}, { identifier: "KeptCandidate", description: "A scored candidate of a decision." })

const KeptFlip = wire({
  ...variantFields("The model that would be picked instead."),
  side: described(
    Schema.Literals(["most", "least"]), "Whether the setting has to be at `most` or at `least` this."
  ),
  threshold: described(
    Schema.NullOr(Figure), "The threshold at which it would be picked; null where a value of success decides."
  ),
  successValueUsd: described(
    Schema.optionalKey(Schema.NullOr(UsdFigure)),
    "The value of a success at which it would be picked, in US dollars; null where the threshold decides."
  ),
  isCertain: described(
    Schema.Boolean,
    "False where the model did not reach the threshold of the decision: the ledger does not keep whether a"
      + " constraint would have ruled it out, too."
  )
}, { identifier: "KeptFlip", description: "The nearest setting with another pick." })

const KeptOutcome = wire({
  ...variantFields("The model that ran."),
  feedbackAt: described(Moment, "When the report came whose label counts, ISO 8601."),
  outcome: described(Outcome, "How the call went."),
  quality: described(Figure, "Quality of the result, in [0, 1]."),
  provenance: described(Schema.String, "Where the label comes from; `assertion` when no source was named."),
  errorCause: described(Schema.NullOr(ErrorCause), "Why it failed; null when not reported."),
  teaches: described(Schema.Boolean, "Whether the label may change predictions."),
  actualCostUsd: described(Schema.NullOr(UsdFigure), "The bill, in US dollars; null when not reported."),
  costSource: described(Schema.NullOr(CostSource), "Source of the cost; null when no cost is known."),
  computedCostUsd: described(
    Schema.NullOr(Price), "The cost by list prices, in US dollars, where no bill was reported."
  ),
  latencyMs: described(Schema.NullOr(Figure), "How long the call took, ms; null when not reported."),
  signals: described(Schema.optionalKey(KeptSignals), "Signals of the run; absent without any.")
}, { identifier: "KeptOutcome", description: "Combined result of a decision's reports on one model." })

export const DecisionReport = wire({
  recommendationId: described(SentId, "Id of the recommendation."),
  createdAt: described(Moment, "When it was made, ISO 8601."),
  lane: described(Schema.String, "The lane."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  tags: described(Schema.Array(Schema.String), "The tags of the task."),
  taskKept: described(
    Schema.Literals(["excerpt", "vectors", "nothing"]),
    "Kept parts of the task; its words are never in this answer."
  ),
  ...pickFields,
  threshold: described(Figure, "The predicted success that a model had to reach."),
  successValueUsd: described(
    Schema.optionalKey(Schema.NullOr(UsdFigure)),
    "Value of a right result that was used, in US dollars; null if the threshold alone decided."
  ),
  decisionBasis: described(DecisionBasis, "Basis of the pick."),
  selectionPolicy: described(SelectionPolicy, "How the pick was made among the eligible candidates."),
  propensity: described(Figure, "Probability with which this model was picked."),
  exploration: described(Schema.Boolean, "Whether the pick was drawn to explore."),
  escalated: described(Schema.Boolean, "Whether escalation was suggested."),
  shadow: described(Schema.Boolean, "Whether it was asked in `shadow`: the caller ran its own default."),
  costPremiumUsd: described(UsdFigure, "Estimated cost of the most expensive candidate, in US dollars."),
  ...baselineFields,
  costDeclaredUsd: described(
    Schema.NullOr(UsdFigure), "Its estimated cost, in US dollars; null when it has no price."
  ),
  rationale: described(Schema.String, "Why the model was picked, in one sentence."),
  warnings: described(Schema.Array(Schema.String), "The warnings of the answer."),
  candidates: described(Schema.Array(KeptCandidate), "The scored candidates, the recommended one first."),
  flip: described(
    Schema.NullOr(KeptFlip),
    "The nearest threshold, or value of success, at which another model would be picked, by predictions and"
      + " costs; null where there is none, or where the pick did not follow from these alone."
  ),
  nNeighbours: described(Schema.Int, "Outcomes on similar tasks that were recalled, count."),
  catalogVersion: described(Schema.String, "Version of the catalog that prices come from."),
  latencyMs: described(Figure, "How long the recommendation took, ms."),
  reasonerCostUsd: described(
    Schema.NullOr(UsdFigure), "Cost of asking the reasoner, in US dollars; null if it was not asked."
  ),
  outcomes: described(Schema.Array(KeptOutcome), "Reported outcomes, by model; empty until feedback arrives.")
}, { identifier: "DecisionReport", description: "One decision as the ledger keeps it, without the task." })
export type DecisionReport = typeof DecisionReport.Type

export const DecisionResponse = wire({
  decision: described(
    Schema.NullOr(DecisionReport), "The decision; null where the account has none of this id."
  )
}, { identifier: "DecisionResponse", description: "One decision, and what came of it." })
export type DecisionResponse = typeof DecisionResponse.Type
