/** Port: a cheap language model that classifies tasks and ranks candidates if there is little evidence. */
import { Context, Effect, Layer, Schema } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"
import { portError } from "../resilience/FailureReason.ts"

/**
 * The reasoner gave no usable answer; `reason` says why. The task's author may be the cause of `Rejected` and
 * `Unusable`.
 */
export class ReasonerFailed extends portError<ReasonerFailed>()("ReasonerFailed", {
  /** Cost of the failed question, USD; null if the question was not sent. */
  costUsd: Schema.NullOr(Schema.Finite).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}) {}

/** No reasoner is configured. */
export class ReasonerDisabled extends Schema.TaggedError<ReasonerDisabled>()("ReasonerDisabled", {}) {}

export interface Consulted<A> {
  readonly answer: A
  /** Cost of the question, USD; 0 if the call of an identical question was shared; null if none was sent. */
  readonly costUsd: number | null
}

export interface Classification {
  readonly taskType: TaskType
  readonly difficulty: Difficulty
}

/** A candidate in a question to the reasoner. */
export interface Contender {
  readonly modelId: string
  readonly predictedSuccess: number
  /** Cost of the task with this model, compared with the other candidates. */
  readonly priceClass: "low" | "middle" | "high"
}

/** The reasoner's opinion of a candidate. `predictedSuccess` is in [0, 1]. */
export interface Opinion {
  readonly modelId: string
  readonly predictedSuccess: number
  readonly rationale: string
}

/** A cheap model, asked if there is little evidence. The task is untrusted data. */
export class Reasoner extends Context.Service<Reasoner, {
  /** Name of the provider; null if no reasoner is configured. */
  readonly provider: string | null
  readonly classify: (
    accountId: AccountId,
    task: string
  ) => Effect.Effect<Consulted<Classification>, ReasonerFailed | ReasonerDisabled>
  /** Returns at most one opinion of each candidate. Some candidates may be missing. */
  readonly rank: (
    accountId: AccountId,
    task: string,
    candidates: ReadonlyArray<Contender>
  ) => Effect.Effect<Consulted<ReadonlyArray<Opinion>>, ReasonerFailed | ReasonerDisabled>
}>()("sextant/reasoner/Reasoner") {
  /** The driver if no reasoner is configured. */
  static readonly layerDisabled = Layer.succeed(Reasoner, {
    provider: null,
    classify: () => disabled,
    rank: () => disabled
  })
}

/** A shared failure, because each new one captures a stack trace and most requests get this failure. */
const disabled = Effect.fail(new ReasonerDisabled())
