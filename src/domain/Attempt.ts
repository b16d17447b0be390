/* What was tried at a task, how a result is checked, and the plan of further attempts. */
import { Schema } from "effect"
import { ErrorCause, EvidenceSource, failsWithoutResult, Outcome } from "./feedback/Feedback.ts"
import { Identifier, Reference } from "./text/Text.ts"
import { Probability, UsdSent } from "./Units.ts"
import { described, nullable, wire } from "./wire/Wire.ts"

/** Most attempts that a request may name, count. */
export const attemptsMax = 16
/** Most attempts of a plan, count. */
export const plannedAttemptsMax = 4

/** An attempt that a request tells of. */
export const TaskAttempt = wire({
  recommendationId: described(
    nullable(Reference),
    "The recommendation that was followed: Sextant knows its model, its effort and what was reported."
  ),
  modelId: described(
    nullable(Identifier), "The model that ran; read where `recommendation_id` is left out or unknown."
  ),
  effort: described(nullable(Identifier), "Its level of reasoning effort."),
  outcome: described(
    nullable(Outcome),
    "Result of the attempt; read if `recommendation_id` has no report. A `partial`, or no outcome, says "
      + "nothing about the task."
  ),
  evidenceSource: described(nullable(EvidenceSource), "Who judged it; `none`: it was not judged."),
  errorCause: described(
    nullable(ErrorCause), "Why it failed; `infra`, an outage, says nothing about the task."
  )
}, {
  identifier: "TaskAttempt",
  description: "An earlier attempt at the task. It teaches nothing: reports do."
}).check(failsWithoutResult)
export type TaskAttempt = typeof TaskAttempt.Type

const VerificationKind = Schema.Literals(["gate", "judge", "human", "self_check", "none"]).annotate({
  identifier: "VerificationKind",
  description: "How you check a result before you use it: `gate`, a deterministic check that the agent "
    + "neither wrote nor chose; `judge`, a model; `human`, a person; `self_check`, a check that the agent "
    + "wrote or chose itself; `none`, not at all."
})

/** How a result is checked. */
export const Verification = wire({
  kind: described(VerificationKind, "How a result is checked."),
  passWrong: described(
    nullable(Probability),
    "Probability that a wrong result passes; 0.02 for a gate, 0.15 for a judge, 0.05 for a human and 0.90 "
      + "for a check of the agent's own when left out."
  ),
  failRight: described(
    nullable(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.5 }))),
    "Probability that a right result fails, in [0, 0.5]; 0.02, 0.10, 0.05 and 0.05 when left out. With "
      + "`pass_wrong` at most 1: a check that is worse than chance would say the opposite of what it means."
  ),
  costUsd: described(nullable(UsdSent), "Cost of one check, in US dollars; 0 when left out.")
}, {
  identifier: "Verification",
  description: "You can tell a wrong result before it matters, and try again: without it a plan has one "
    + "attempt. Leave it out where you do not try again: a cheap first attempt is right in a plan and wrong "
    + "alone."
}).check(Schema.makeFilter(({ failRight, passWrong }) =>
  (passWrong ?? 0) + (failRight ?? 0) <= 1
    || { path: ["pass_wrong"], issue: "Expected at most 1 together with fail_right" }))
export type Verification = typeof Verification.Type

const PlanStop = Schema.Literals([
  "threshold_reached", "not_worth_it", "max_attempts", "max_total_cost"
]).annotate({
  identifier: "PlanStop",
  description: "Why a plan ends: `threshold_reached`, it reaches the threshold; `not_worth_it`, no further "
    + "attempt is worth its cost; `max_attempts` and `max_total_cost`, the request allows no more."
})

const PlanAttempt = wire({
  modelId: described(Schema.String, "The model's id in the catalog."),
  requestedModelId: described(
    Schema.NullOr(Schema.String), "Its id as the request spelled it; null when the request did not name it."
  ),
  effort: described(Schema.NullOr(Schema.String), "The level of reasoning effort; null where it is yours."),
  predictedSuccess: described(
    Probability, "Probability that this attempt succeeds, given that all before it failed."
  ),
  estCostUsd: described(Schema.Finite, "Estimated cost of this attempt with its check, in US dollars."),
  cumulativeSuccess: described(
    Probability, "Probability that some attempt up to this one is accepted and right."
  ),
  cumulativeCostUsd: described(
    Schema.Finite, "Expected cost of the attempts up to this one, in US dollars: not all may be needed."
  )
}, { identifier: "PlanAttempt", description: "One attempt of a plan." })

/** The attempts to make from now on. */
export const AttemptPlan = wire({
  attempts: described(
    Schema.Array(PlanAttempt),
    "The attempts in their order, each for when those before it failed. Empty: nothing is worth trying; "
      + "`recommended_model` is then the best that remains."
  ),
  expectedSuccess: described(Probability, "Probability that one of them is accepted and right."),
  expectedCostUsd: described(Schema.Finite, "Their expected total cost, in US dollars."),
  stopReason: described(PlanStop, "Why the plan has no further attempt.")
}, { identifier: "AttemptPlan", description: "The order of attempts that is worth most." })
export type AttemptPlan = typeof AttemptPlan.Type
