/** The earlier attempts at a task, the check of a result, and the plan of further attempts. */
import { Schema } from "effect"
import { ErrorCause, EvidenceSource, failsWithoutResult, Outcome } from "./feedback/Feedback.ts"
import { Identifier, Reference } from "./text/Text.ts"
import { Probability, UsdSent } from "./Units.ts"
import { described, nullable, wire } from "./wire/Wire.ts"

export const attemptsMax = 16
export const plannedAttemptsMax = 4

export const TaskAttempt = wire({
  recommendationId: described(
    nullable(Reference),
    "The recommendation that you followed. Sextant reads the model, its effort and your reports from the "
      + "ledger."
  ),
  modelId: described(
    nullable(Identifier), "The model that ran. Sextant reads this id if `recommendation_id` is left out or "
      + "unknown."
  ),
  effort: described(nullable(Identifier), "The model's level of reasoning effort."),
  outcome: described(
    nullable(Outcome),
    "Result of the attempt. Sextant reads this result if no verdict is reported for `recommendation_id`. "
      + "`partial` or a missing outcome says nothing about the task."
  ),
  evidenceSource: described(nullable(EvidenceSource), "Who judged the result. `none`: the result was not "
    + "judged."),
  errorCause: described(
    nullable(ErrorCause), "Why the attempt failed. `infra`, an outage, says nothing about the task."
  )
}, {
  identifier: "TaskAttempt",
  description: "An earlier attempt at the task. Sextant learns from reports, not from the attempts in a "
    + "request."
}).check(failsWithoutResult)
export type TaskAttempt = typeof TaskAttempt.Type

const VerificationKind = Schema.Literals(["gate", "judge", "human", "self_check", "none"]).annotate({
  identifier: "VerificationKind",
  description: "The way in which you check a result before you use it. `gate`: a deterministic check that "
    + "the agent neither wrote nor chose. `judge`: a model. `human`: a person. `self_check`: a check that "
    + "the agent wrote or chose itself. `none`: no check."
})

export const Verification = wire({
  kind: described(VerificationKind, "The kind of check."),
  passWrong: described(
    nullable(Probability),
    "Probability that a wrong result passes the check. Default: 0.02 for a gate, 0.15 for a judge, 0.05 for "
      + "a human, 0.90 for a self-check."
  ),
  failRight: described(
    nullable(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.5 }))),
    "Probability that a right result fails the check, in [0, 0.5]. Default: 0.02 for a gate, 0.10 for a "
      + "judge, 0.05 for a human or a self-check. `pass_wrong` and `fail_right` add up to at most 1, because "
      + "a check beyond that is worse than chance."
  ),
  costUsd: described(nullable(UsdSent), "Cost of one check, in US dollars; 0 when left out.")
}, {
  identifier: "Verification",
  description: "How you detect a wrong result in time to try again. Without a check, a plan has at most one "
    + "attempt. Leave `verification` out if you do not try again, because then a cheap first attempt is not "
    + "worth its risk."
}).check(Schema.makeFilter(({ failRight, passWrong }) =>
  (passWrong ?? 0) + (failRight ?? 0) <= 1
    || { path: ["pass_wrong"], issue: "Expected at most 1 together with fail_right" }))
export type Verification = typeof Verification.Type

const PlanStop = Schema.Literals([
  "threshold_reached", "not_worth_it", "max_attempts", "max_total_cost"
]).annotate({
  identifier: "PlanStop",
  description: "The reason why a plan ends. `threshold_reached`: the plan's probability of success reaches "
    + "the threshold. `not_worth_it`: no further attempt is worth its cost. `max_attempts`, "
    + "`max_total_cost`: the request's limit allows no further attempt."
})

const PlanAttempt = wire({
  modelId: described(Schema.String, "The model's id in the catalog."),
  requestedModelId: described(
    Schema.NullOr(Schema.String),
    "The model's id as the request spelled it; null if the request did not name the model."
  ),
  effort: described(
    Schema.NullOr(Schema.String), "The level of reasoning effort; null if you may choose the level."
  ),
  predictedSuccess: described(
    Probability, "Probability that this attempt succeeds if all attempts before it failed."
  ),
  estCostUsd: described(Schema.Finite, "Estimated cost of this attempt with its check, in US dollars."),
  cumulativeSuccess: described(
    Probability, "Probability that this attempt or an earlier one is accepted and right."
  ),
  cumulativeCostUsd: described(
    Schema.Finite,
    "Expected cost of the attempts up to this one, in US dollars. Not all of the attempts may be needed."
  )
}, { identifier: "PlanAttempt", description: "One attempt of a plan." })

export const AttemptPlan = wire({
  attempts: described(
    Schema.Array(PlanAttempt),
    "The attempts in order. An attempt is made only if all attempts before it failed. If no attempt is worth "
      + "its cost or within the limits, the list is empty, and `recommended_model` is the pick without a "
      + "plan."
  ),
  expectedSuccess: described(Probability, "Probability that one of the attempts is accepted and right."),
  expectedCostUsd: described(Schema.Finite, "Expected total cost of the attempts, in US dollars."),
  stopReason: described(PlanStop, "The reason why the plan has no further attempt.")
}, { identifier: "AttemptPlan", description: "The best order of attempts from now on." })
export type AttemptPlan = typeof AttemptPlan.Type
