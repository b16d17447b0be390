import { Context, type Effect } from "effect"
import type { FeedbackRequest, FeedbackResponse } from "../domain/Feedback.ts"
import type { Caller } from "../domain/Scope.ts"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"

/** Conductor of `learn/`: what does this outcome teach? */
export class Learner extends Context.Service<Learner, {
  readonly learn: (
    caller: Caller,
    request: FeedbackRequest
  ) => Effect.Effect<FeedbackResponse, LedgerUnavailable>
}>()("sextant/engine/Learner") {}
