/*
 * A guarantee: a cheaper model is picked only once its success is known to be within a loss of the
 * baseline's.
 */
import { Schema } from "effect"
import { Identifier } from "../text/Text.ts"
import { Moment } from "../Time.ts"
import { Count, Probability, Share } from "../Units.ts"
import { defaulted, described, nullable, wire } from "../wire/Wire.ts"

export const MaxQualityLoss = Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 0.5 }))
export const Confidence = Schema.Finite.check(Schema.isBetween({ minimum: 0.5, maximum: 0.999 }))
export const TrialShare = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.5 }))
/** Chosen; `npm run bench:guarantee` shows what it comes to. */
export const trialShareDefault = 0.2

const terms = {
  baselineModelId: described(
    Identifier, "The model that is recommended until the evidence speaks for a cheaper one."
  ),
  maxQualityLoss: described(
    defaulted(MaxQualityLoss, 0.05),
    "Largest difference of success to the baseline that is accepted, in [0.01, 0.5]."
  ),
  confidence: described(
    defaulted(Confidence, 0.95), "Probability that the promise holds at all times, in [0.5, 0.999]."
  ),
  trialShare: described(
    nullable(TrialShare),
    "Largest share of tasks on which a trial draws another model, in [0, 0.5]. Null: 0.2. With 0 none is "
      + "drawn, and only `paired` requests earn the guarantee."
  )
}

/** What an account or a request asks to be guaranteed. */
export const GuaranteeTerms = wire(terms, {
  identifier: "GuaranteeTerms",
  description: "A cheaper model is recommended only once its success is known to be within a loss of the "
    + "baseline's."
})
export type GuaranteeTerms = typeof GuaranteeTerms.Type

/** The same in a request, which may be a pair. */
export const GuaranteeRequest = wire({
  ...terms,
  paired: described(
    defaulted(Schema.Boolean, false),
    "Whether you run both the baseline and `guarantee.candidate_model_id` of the answer, whatever either "
      + "comes to, and report both: such pairs count most."
  )
}, {
  identifier: "GuaranteeRequest",
  description: "The guarantee of this request, in place of the account's."
})
export type GuaranteeRequest = typeof GuaranteeRequest.Type

export const GuaranteeState = Schema.Literals(["held", "earning", "withdrawn"]).annotate({
  identifier: "GuaranteeState",
  description: "`held`: a cheaper model is recommended, within the loss; `earning`: the baseline is, while "
    + "evidence is gathered; `withdrawn`: the baseline is again, because the evidence turned."
})
export type GuaranteeState = typeof GuaranteeState.Type

/** What is known of a candidate beside the baseline, in answers and in reports. */
const candidateFields = {
  outcomes: described(Count, "Outcomes of trials that were reported, of both models."),
  outcomesNeeded: described(
    Schema.NullOr(Count),
    "About how many more it takes until the candidate is held, if it goes on as it went; null where that is "
      + "not in sight, and where it is held."
  ),
  provenLoss: described(
    Schema.NullOr(Probability),
    "The smallest difference of success that the evidence rules out to be exceeded, of a few that are "
      + "tested; null for none."
  ),
  evidenceSince: described(
    Schema.NullOr(Moment),
    "When the candidate or the baseline last came to stand for another model, ISO 8601: trials before it do "
      + "not count. Null where neither did."
  )
}

/** A time in ms since 1970 as such a field says it; null for 0. */
export const momentOf = (atMs: number): string | null => atMs === 0 ? null : new Date(atMs).toISOString()

/** The guarantee of an answer. */
export const GuaranteeStatus = wire({
  state: described(GuaranteeState, "Whether a cheaper model is recommended."),
  baselineModelId: described(Schema.String, "The baseline's id in the catalog."),
  candidateModelId: described(
    Schema.NullOr(Schema.String), "The cheaper model that is held or on trial; null without one."
  ),
  maxQualityLoss: described(Probability, "The loss that counts, with three decimals."),
  confidence: described(Probability, "The confidence that counts, with three decimals."),
  isTrial: described(
    Schema.Boolean, "Whether the recommended model was drawn to gather evidence, in place of the usual one."
  ),
  ...candidateFields
}, { identifier: "GuaranteeStatus", description: "The guarantee that a recommendation was made under." })
export type GuaranteeStatus = typeof GuaranteeStatus.Type

/** A success of a report, in [0, 1]; null without outcomes. */
const Success = (description: string) => described(Schema.NullOr(Share), description)

const GuaranteedCandidate = wire({
  modelId: described(Schema.String, "The candidate's id; of an arm, with its effort: `gpt-5#low`."),
  state: described(GuaranteeState, "Where it stands beside the baseline; `withdrawn`: it rests for a while."),
  success: Success("Its success in the outcomes of trials."),
  baselineSuccess: Success("The baseline's success in the same time."),
  ...candidateFields
}, { identifier: "GuaranteedCandidate", description: "A cheaper model beside the baseline." })

const GuaranteedKind = wire({
  lane: described(Schema.String, "The lane, `sextant:<namespace>`."),
  taskType: described(Schema.String, "The kind of task."),
  baselineModelId: described(Schema.String, "The baseline's id."),
  maxQualityLoss: described(Probability, "The loss that is accepted."),
  confidence: described(Probability, "The confidence that is asked for."),
  state: described(GuaranteeState, "`held` where a candidate is."),
  tasks: described(Count, "Tasks of the kind that were counted."),
  candidates: described(Schema.Array(GuaranteedCandidate), "The candidates that were tried.")
}, { identifier: "GuaranteedKind", description: "How a guarantee stands for one kind of task in one lane." })

export const AccountGuaranteeResponse = wire({
  guarantee: described(
    Schema.NullOr(GuaranteeTerms), "The account's own guarantee; null without one. Requests may have others."
  ),
  kinds: described(
    Schema.Array(GuaranteedKind),
    "The guarantees that requests were made under, by lane and kind of task: those that went on last, at most"
      + " 256 and 2 MB of evidence."
  )
}, {
  identifier: "AccountGuaranteeResponse",
  description: "The account's guarantee, and what its evidence says of each kind of task."
})
export type AccountGuaranteeResponse = typeof AccountGuaranteeResponse.Type

/** A count, or a time in ms since 1970, which is above every {@link Count}. */
const Whole = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Finite = Schema.Finite
const Capital = Schema.Array(Finite)
const Both = Schema.Tuple([Capital, Capital])
const Arm = Schema.Struct({ trials: Whole, reports: Whole, successes: Finite })

/**
 * The evidence as its checkpoint keeps it: the shape of `GuaranteeEvidence` in `stats`. A copy that finds
 * another one fails to read it, and warns.
 */
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
