/** Port for the reasoner: a cheap model that classifies tasks, and ranks candidates, in cases of doubt. */
import { Context, Effect, Layer, Schema } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import type { Difficulty, TaskType } from "../domain/Task.ts"
import { portError } from "../resilience/FailureReason.ts"

/** The failure of a reasoner. The text of a task can cause the reasons `Rejected` and `Unusable`. */
export class ReasonerFailed extends portError<ReasonerFailed>()("ReasonerFailed", {
  /** Cost of the failed question, USD; null if no question was sent, and 0 if another call paid for it. */
  costUsd: Schema.NullOr(Schema.Finite).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}) {}

export class ReasonerDisabled extends Schema.TaggedError<ReasonerDisabled>()("ReasonerDisabled", {}) {}

export interface Consulted<A> {
  readonly answer: A
  /** Cost, USD; null if no question was sent. An identical question's shared answer costs 0. */
  readonly costUsd: number | null
}

export interface Classification {
  readonly taskType: TaskType
  readonly difficulty: Difficulty
}

export interface Contender {
  readonly modelId: string
  readonly predictedSuccess: number
  /** Class of the task's cost with this model, compared with the other candidates. */
  readonly priceClass: "low" | "middle" | "high"
}

/** The reasoner's opinion of a candidate. `predictedSuccess` is a probability. */
export interface Opinion {
  readonly modelId: string
  readonly predictedSuccess: number
  readonly rationale: string
}

export class Reasoner extends Context.Service<Reasoner, {
  /** Name of the provider; null if no reasoner is configured. */
  readonly provider: string | null
  readonly classify: (
    accountId: AccountId,
    task: string
  ) => Effect.Effect<Consulted<Classification>, ReasonerFailed | ReasonerDisabled>
  /** Returns at most one opinion of each candidate; a candidate may have none. */
  readonly rank: (
    accountId: AccountId,
    task: string,
    candidates: ReadonlyArray<Contender>
  ) => Effect.Effect<Consulted<ReadonlyArray<Opinion>>, ReasonerFailed | ReasonerDisabled>
}>()("sextant/reasoner/Reasoner") {
  static readonly layerDisabled = Layer.succeed(Reasoner, {
    provider: null,
    classify: () => disabled,
    rank: () => disabled
  })
}

/** One shared failure, because each new failure would capture a stack trace. */
const disabled = Effect.fail(new ReasonerDisabled())
