import { Context, Effect, Layer, Schema } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"
import { FailureReason } from "../resilience/FailureReason.ts"

/**
 * The reasoner gave no answer that can be used; `reason` says why. `Rejected` and `Unusable` may be the work
 * of whoever wrote the task.
 */
export class ReasonerFailed extends Schema.TaggedError<ReasonerFailed>()("ReasonerFailed", {
  reason: FailureReason,
  /** What asking cost all the same, in USD; null when it was not asked. */
  costUsd: Schema.NullOr(Schema.Finite).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}) {
  override readonly cause = this.reason
  override get message() {
    return this.reason.message
  }
  /** Whether repeating the same call later may succeed. */
  get isRetryable(): boolean {
    return this.reason.isRetryable
  }
}

/** No reasoner is configured. */
export class ReasonerDisabled extends Schema.TaggedError<ReasonerDisabled>()("ReasonerDisabled", {}) {}

/** An answer, and its cost in USD: 0 when an identical question paid for it, null when nobody was asked. */
export interface Consulted<A> {
  readonly answer: A
  readonly costUsd: number | null
}

export interface Classification {
  readonly taskType: TaskType
  readonly difficulty: Difficulty
}

export const priceClasses = ["low", "middle", "high"] as const

/** A candidate as the reasoner sees it. */
export interface Contender {
  readonly modelId: string
  readonly predictedSuccess: number
  /** What the task would cost with it, beside the others. */
  readonly priceClass: typeof priceClasses[number]
}

/** What the reasoner thinks of one candidate; `predictedSuccess` in [0, 1]. */
export interface Opinion {
  readonly modelId: string
  readonly predictedSuccess: number
  readonly rationale: string
}

/** A cheap model that is asked when the evidence is thin. It sees the task as untrusted data. */
export class Reasoner extends Context.Service<Reasoner, {
  /** Null when not configured. */
  readonly provider: string | null
  readonly classify: (
    accountId: AccountId,
    task: string
  ) => Effect.Effect<Consulted<Classification>, ReasonerFailed | ReasonerDisabled>
  /** Opinions on the given candidates only, each at most once; a candidate may be missing. */
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

/** One for all: a failure takes the stack where it is made, and most requests meet this one. */
const disabled = Effect.fail(new ReasonerDisabled())
