import { Context, Effect, Layer, Schema } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"

/** The reasoner erred, timed out, or answered something unusable. */
export class ReasonerFailed extends Schema.TaggedError<ReasonerFailed>()("ReasonerFailed", {
  cause: Schema.Defect()
}) {}

/** No reasoner is configured. */
export class ReasonerDisabled extends Schema.TaggedError<ReasonerDisabled>()("ReasonerDisabled", {}) {}

export interface Classification {
  readonly taskType: TaskType
  readonly difficulty: Difficulty
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
  ) => Effect.Effect<Classification, ReasonerFailed | ReasonerDisabled>
  /** Opinions on the given candidates only; a candidate may be missing. */
  readonly rank: (
    accountId: AccountId,
    task: string,
    candidates: ReadonlyArray<{ readonly modelId: string; readonly predictedSuccess: number }>
  ) => Effect.Effect<ReadonlyArray<Opinion>, ReasonerFailed | ReasonerDisabled>
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
