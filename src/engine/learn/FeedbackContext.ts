/* The state of a feedback in `learn/`, before and after its reports are combined. */
import type { Decision } from "../../domain/Decision.ts"
import type { AttributedFeedback } from "../../domain/feedback/Feedback.ts"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { FeedbackWarning } from "../../domain/Warning.ts"
import type { Usage } from "./Usage.ts"
import type { Verdict } from "./Verdict.ts"

/** A feedback and the decision that it is about, before it is combined with earlier reports. */
export interface FeedbackContext {
  readonly accountId: AccountId
  readonly decision: Decision
  readonly request: AttributedFeedback
  readonly verdict: Verdict
  readonly usage: Usage
  /** When the id of the model that ran last changed its meaning, ms since 1970; 0 for never. */
  readonly modelSinceMs: number
  /** The id of the key that reports; empty if it is not known. */
  readonly keyId: string
  /** The provider of the model that was run; null for a model that the account's catalog does not have. */
  readonly provider: string | null
  /** Warnings about the name of the model that ran. */
  readonly nameWarnings: ReadonlyArray<FeedbackWarning>
  readonly now: Date
  /** The id of the outcome of this decision and model: all reports on the two teach one observation. */
  readonly observationId: string
}

/** A feedback, and the outcome of its decision and model before and after it. */
export interface CombinedFeedback extends FeedbackContext {
  /** The outcome before this feedback; null without an earlier report on the model. */
  readonly before: ReportedOutcome | null
  /** The outcome with this feedback; null when the decision takes no more models. */
  readonly outcome: ReportedOutcome | null
}
