/* A guarantee: except in trials, a cheaper model must be known to succeed nearly as often as the baseline. */
import { Schema } from "effect"
import { Identifier } from "../text/Text.ts"
import { Moment } from "../Time.ts"
import { Count, Probability, Share } from "../Units.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"

export const MaxQualityLoss = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 0.5 }))
export const Confidence = Schema.Finite.check(Schema.isBetween({ minimum: 0.5, maximum: 0.999 }))
export const TrialShare = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.5 }))
/** The default of `trialShare`, which is chosen; `npm run bench:guarantee` measures its effect. */
export const trialShareDefault = 0.2

const terms = {
  baselineModelId: described(
    Identifier, "The model that is recommended until the evidence favours a cheaper model."
  ),
  maxQualityLoss: described(
    defaulted(MaxQualityLoss, 0.05), "Largest accepted loss of success against the baseline, in [0.01, 0.5]."
  ),
  confidence: described(
    defaulted(Confidence, 0.95), "Probability that the guarantee holds at all times, in [0.5, 0.999]."
  ),
  trialShare: described(
    nullable(TrialShare),
    "Largest usual share of tasks that run another model as a trial, in [0, 0.5]. Null: 0.2. With 0, only "
      + "`paired` requests gather evidence. If `trial_share` is above 0, a held model in doubt and the "
      + "baseline each run half of the tasks."
  )
}

export const GuaranteeTerms = wire(terms, {
  identifier: "GuaranteeTerms",
  description: "Except in trials, recommends a cheaper model only if its success is known to be close to the "
    + "baseline's."
})
export type GuaranteeTerms = typeof GuaranteeTerms.Type

export const GuaranteeRequest = wire({
  ...terms,
  paired: described(
    defaulted(Schema.Boolean, false),
    "Whether you run and report both the baseline and `guarantee.candidate_model_id` of the answer. Such "
      + "pairs are the strongest evidence."
  )
}, {
  identifier: "GuaranteeRequest",
  description: "The guarantee for one request. The guarantee of a request replaces the guarantee of the "
    + "account."
})
export type GuaranteeRequest = typeof GuaranteeRequest.Type

export const GuaranteeState = Schema.Literals(["held", "earning", "withdrawn"]).annotate({
  identifier: "GuaranteeState",
  description: "`held`: a cheaper model is recommended, because its loss is small enough. `earning`: the "
    + "baseline is recommended while evidence is gathered. `withdrawn`: the baseline is recommended again, "
    + "because the evidence turned."
})
export type GuaranteeState = typeof GuaranteeState.Type

const candidateFields = {
  outcomes: described(Count, "Reported outcomes of trials, of both models."),
  outcomesNeeded: described(
    Schema.NullOr(Count),
    "Approximate number of further outcomes until the candidate can replace the baseline, at its present "
      + "success. Null if that number cannot be foreseen, and once the candidate has replaced the baseline."
  ),
  provenLoss: described(
    Schema.NullOr(Probability),
    "The smallest loss of success that the evidence rules out, among a few tested values. Null if the "
      + "evidence rules out no value."
  ),
  evidenceSince: described(
    Schema.NullOr(Moment),
    "Time at which the id of candidate or baseline last came to mean another model, ISO 8601. Earlier trials "
      + "do not count. Null if neither id changed its meaning."
  )
}

/** Returns a time in ms since 1970 as ISO 8601; null for 0. */
export const momentOf = (atMs: number): string | null => atMs === 0 ? null : new Date(atMs).toISOString()

export const GuaranteeStatus = wire({
  state: described(GuaranteeState, "Whether a cheaper model is recommended."),
  baselineModelId: described(Schema.String, "The baseline's id in the catalog."),
  candidateModelId: described(
    Schema.NullOr(Schema.String), "The cheaper model that is recommended or may be tried; null without one."
  ),
  maxQualityLoss: described(Probability, "The accepted loss in use, with three decimals."),
  confidence: described(Probability, "The confidence in use, with three decimals."),
  isTrial: described(
    Schema.Boolean, "Whether the recommended model was drawn as a trial, in place of the usual model."
  ),
  ...candidateFields
}, { identifier: "GuaranteeStatus", description: "The guarantee under which a recommendation was made." })
export type GuaranteeStatus = typeof GuaranteeStatus.Type

const Success = (description: string) => described(Schema.NullOr(Share), description)

const GuaranteedCandidate = wire({
  modelId: described(Schema.String, "The candidate's id, with its effort if any: `gpt-5#low`."),
  state: described(GuaranteeState, "State of the candidate. A `withdrawn` candidate is not tried again for a "
    + "while."),
  success: Success("Success of the candidate in trials."),
  baselineSuccess: Success("Success of the baseline in the candidate's trials."),
  ...candidateFields
}, { identifier: "GuaranteedCandidate", description: "Results of a cheaper model's trials against the "
  + "guarantee's baseline." })

const GuaranteedKind = wire({
  lane: described(Schema.String, "The lane, `sextant:<namespace>`."),
  taskType: described(Schema.String, "The kind of task."),
  baselineModelId: described(Schema.String, "The baseline's id."),
  maxQualityLoss: described(Probability, "The accepted loss."),
  confidence: described(Probability, "The requested confidence."),
  state: described(GuaranteeState, "`held` if a candidate replaces the baseline."),
  tasks: described(Count, "Tasks of this kind that counted."),
  candidates: described(Schema.Array(GuaranteedCandidate), "The candidates that were tried.")
}, { identifier: "GuaranteedKind", description: "State of a guarantee for one kind of task in one lane." })

export const AccountGuaranteeResponse = wire({
  guarantee: described(
    Schema.NullOr(GuaranteeTerms),
    "The account's own guarantee; null without one. Requests may have other guarantees."
  ),
  kinds: described(
    Schema.Array(GuaranteedKind),
    "The guarantees of requests, by lane and kind of task, the most recently active first. At most 256, and "
      + "at most 2 MB of evidence."
  )
}, {
  identifier: "AccountGuaranteeResponse",
  description: "The account's guarantee, and its evidence for each kind of task."
})
export type AccountGuaranteeResponse = typeof AccountGuaranteeResponse.Type

/** A whole number without a maximum, because times in ms exceed the maximum of {@link Count}. */
const Whole = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Finite = Schema.Finite
const Capital = Schema.Array(Finite)
const Both = Schema.Tuple([Capital, Capital])
const Arm = Schema.Struct({ trials: Whole, reports: Whole, successes: Finite })

/** Evidence as the checkpoint stores it (`GuaranteeEvidence` in `stats`). */
export const GuaranteeCheckpoint = Schema.Struct({
  starts: Whole,
  kinds: Schema.Record(Schema.String, Schema.Struct({
    tasks: Whole,
    candidates: Schema.Record(Schema.String, Schema.Struct({
      state: Schema.Literals(["earning", "held", "withdrawn"]),
      start: Whole,
      withdrawals: Whole,
      restsUntil: Whole,
      wasHeld: Schema.Boolean,
      arms: Schema.Struct({ candidate: Arm, baseline: Arm }),
      rungs: Schema.NonEmptyArray(Schema.Struct({
        loss: Finite, capital: Both, best: Schema.Tuple([Finite, Finite])
      })),
      against: Both,
      since: Schema.optionalKey(Whole)
    }))
  }))
})
