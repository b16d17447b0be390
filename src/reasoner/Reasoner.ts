/** Port: a cheap language model that classifies tasks and ranks candidates where the evidence is thin. */
import { Context, Effect, Layer, Schema } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"
import { portError } from "../resilience/FailureReason.ts"

/**
 * The reasoner gave no answer that can be used; `reason` says why. `Rejected` and `Unusable` may be
 * caused by the task's author.
 */
export class ReasonerFailed extends portError<ReasonerFailed>()("ReasonerFailed", {
  /** Cost of the failed question, in USD; null when it was not sent. */
  costUsd: Schema.NullOr(Schema.Finite).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}) {}

/** No reasoner is configured. */
export class ReasonerDisabled extends Schema.TaggedError<ReasonerDisabled>()("ReasonerDisabled", {}) {}

/** An answer and its cost in USD: 0 when an identical question paid for it, null when none was sent. */
export interface Consulted<A> {
  readonly answer: A
  readonly costUsd: number | null
}

export interface Classification {
  readonly taskType: TaskType
  readonly difficulty: Difficulty
}

const priceClasses = ["low", "middle", "high"] as const

/** A candidate as the reasoner sees it. */
export interface Contender {
  readonly modelId: string
  readonly predictedSuccess: number
  /** Cost of the task with this model, relative to the other candidates. */
  readonly priceClass: typeof priceClasses[number]
}

/** The reasoner's opinion of one candidate; `predictedSuccess` is in [0, 1]. */
export interface Opinion {
  readonly modelId: string
  readonly predictedSuccess: number
  readonly rationale: string
}

/** A cheap model, asked when the evidence is thin. The task is untrusted data to it. */
export class Reasoner extends Context.Service<Reasoner, {
  /** Null when not configured. */
  readonly provider: string | null
  readonly classify: (
    accountId: AccountId,
    task: string
  ) => Effect.Effect<Consulted<Classification>, ReasonerFailed | ReasonerDisabled>
  /** Opinions about the given candidates alone, at most one for each; some may be missing. */
  readonly rank: (
    accountId: AccountId,
    task: string,
    candidates: ReadonlyArray<Contender>
  ) => Effect.Effect<Consulted<ReadonlyArray<Opinion>>, ReasonerFailed | ReasonerDisabled>
}>()("sextant/reasoner/Reasoner") {
  /** The driver for "not configured". */
  static readonly layerDisabled = Layer.succeed(Reasoner, {
    provider: null,
    classify: () => disabled,
    rank: () => disabled
  })
}

/** One shared failure: each new one would capture a stack, and most requests meet this one. */
const disabled = Effect.fail(new ReasonerDisabled())
