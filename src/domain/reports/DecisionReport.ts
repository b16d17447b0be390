/** The report of one decision: its candidates, its pick, and why. For the page "why this model". */
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
  base: described(Share, "Prediction from outcomes of the task type, and of the difficulty if it is known, "
    + "whatever their tags."),
  cells: described(Share, "Prediction from groups of outcomes, also those with the task's tags."),
  local: described(Share, "Prediction from outcomes of similar tasks."),
  mixed: described(Share, "Mixture of the predictions `cells` and `local`, without an optimistic correction.")
}, { identifier: "KeptForecast", description: "Predicted success of a model, by predictor." })

const CandidateStanding = Schema.Literals([
  "recommended", "eligible", "below_threshold", "excluded"
]).annotate({
  identifier: "CandidateStanding",
  description: "`recommended`: this model was recommended. `eligible`: the model reached the threshold and "
    + "met the constraints. `below_threshold`: the model's predicted success was too low. `excluded`: "
    + "predicted success was high enough, but something else, such as a limit, ruled the model out."
})

const KeptCandidate = wire({
  ...variantFields("The model."),
  standing: described(CandidateStanding, "Whether the candidate could have been picked."),
  predictedSuccess: described(Figure, "The candidate's predicted success."),
  estCostUsd: described(UsdFigure, "The candidate's estimated cost, in US dollars."),
  forecast: described(Schema.NullOr(KeptForecast), "Predicted success, by predictor; null if none was kept."),
  nNeighbours: described(Schema.Int, "The candidate's recalled outcomes that the decision stores, at most 8, "
    + "count."),
  neighbourWeight: described(
    Schema.NullOr(Figure), "Share of the candidate's stored outcomes in the weight of all stored outcomes; "
      + "null if none is stored."
  )
}, { identifier: "KeptCandidate", description: "A scored candidate of a decision." })

const KeptFlip = wire({
  ...variantFields("The model that would be picked instead."),
  side: described(
    Schema.Literals(["most", "least"]), "Whether the setting must be at `most` or at `least` this value."
  ),
  threshold: described(
    Schema.NullOr(Figure), "Threshold at which the other model would be picked; null if a value of success "
      + "decides."
  ),
  successValueUsd: described(
    Schema.optionalKey(Schema.NullOr(UsdFigure)),
    "Value of a success at which the other model would be picked, in US dollars; null if the threshold "
      + "decides."
  ),
  isCertain: described(
    Schema.Boolean,
    "False if the model missed the decision's threshold. The ledger does not store whether a constraint "
      + "would also have excluded the model."
  )
}, { identifier: "KeptFlip", description: "The threshold or value of a success, nearest to the decision's, "
  + "at which another model would be picked." })

const KeptOutcome = wire({
  ...variantFields("The model that ran."),
  feedbackAt: described(Moment, "Time of the report whose label counts, ISO 8601."),
  outcome: described(Outcome, "The outcome of the call."),
  quality: described(Figure, "Quality of the result, in [0, 1]."),
  provenance: described(Schema.String, "Source of the label; `assertion` if none was named."),
  errorCause: described(Schema.NullOr(ErrorCause), "Cause of the failure; null if unknown."),
  teaches: described(Schema.Boolean, "Whether the label may change predictions."),
  actualCostUsd: described(Schema.NullOr(UsdFigure), "The bill, in US dollars; null if not reported."),
  costSource: described(Schema.NullOr(CostSource), "Source of the cost; null if unknown."),
  computedCostUsd: described(
    Schema.NullOr(Price), "Cost at list prices, in US dollars, if no bill was reported."
  ),
  latencyMs: described(Schema.NullOr(Figure), "Latency of the call, ms; null if not reported."),
  signals: described(Schema.optionalKey(KeptSignals), "Signals of the run; absent without any.")
}, { identifier: "KeptOutcome", description: "The outcome of a decision for one model, combined from all "
  + "reports." })

export const DecisionReport = wire({
  recommendationId: described(SentId, "Id of the recommendation."),
  createdAt: described(Moment, "Time of the recommendation, ISO 8601."),
  lane: described(Schema.String, "The lane."),
  cluster: described(Schema.String, "Task type and difficulty, such as `code:hard`."),
  tags: described(Schema.Array(Schema.String), "The tags of the task."),
  taskKept: described(
    Schema.Literals(["excerpt", "vectors", "nothing"]),
    "Stored parts of the task. The answer never contains the task's words."
  ),
  ...pickFields,
  threshold: described(Figure, "The predicted success that a model had to reach."),
  successValueUsd: described(
    Schema.optionalKey(Schema.NullOr(UsdFigure)),
    "Value of a right result, in US dollars; null if the threshold decided."
  ),
  decisionBasis: described(DecisionBasis, "Basis of the pick."),
  selectionPolicy: described(SelectionPolicy, "The rule that picked the model among the eligible "
    + "candidates."),
  propensity: described(Figure, "Probability of this pick."),
  exploration: described(Schema.Boolean, "Whether the recommended model was drawn at random to explore."),
  escalated: described(Schema.Boolean, "Whether escalation was suggested."),
  shadow: described(Schema.Boolean, "Whether the caller ran its own default (`shadow`)."),
  costPremiumUsd: described(UsdFigure, "Estimated cost of the most expensive candidate, in US dollars."),
  ...baselineFields,
  costDeclaredUsd: described(
    Schema.NullOr(UsdFigure), "The declared baseline's estimated cost, in US dollars; null without a price."
  ),
  rationale: described(Schema.String, "One sentence on why the model was picked."),
  warnings: described(Schema.Array(Schema.String), "The warnings of the answer."),
  candidates: described(Schema.Array(KeptCandidate), "The scored candidates, the recommended one first."),
  flip: described(
    Schema.NullOr(KeptFlip),
    "The nearest threshold or value of success at which another model would be recommended, by predictions "
      + "and costs. Null if no setting changes the recommendation, or if the choice had other reasons."
  ),
  nNeighbours: described(Schema.Int, "Recalled outcomes that the decision stores, at most 8 per candidate."),
  catalogVersion: described(Schema.String, "Version of the catalog with the prices."),
  latencyMs: described(Figure, "Time that the recommendation took, ms."),
  reasonerCostUsd: described(
    Schema.NullOr(UsdFigure), "Cost of asking the reasoner, in US dollars; null if it was not asked."
  ),
  outcomes: described(Schema.Array(KeptOutcome), "Reported outcomes, by model; empty without feedback.")
}, { identifier: "DecisionReport", description: "One decision in the ledger, without the task's text." })
export type DecisionReport = typeof DecisionReport.Type

export const DecisionResponse = wire({
  decision: described(
    Schema.NullOr(DecisionReport), "The decision; null if the account has none with this id."
  )
}, { identifier: "DecisionResponse", description: "One decision with its outcomes." })
export type DecisionResponse = typeof DecisionResponse.Type
