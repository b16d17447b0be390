/* A feedback while Sextant learns from it, before and after it is combined with earlier reports. */
import type { Decision } from "../../domain/Decision.ts"
import type { AttributedFeedback } from "../../domain/feedback/Feedback.ts"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { FeedbackWarning } from "../../domain/Warning.ts"
import type { Usage } from "./Usage.ts"
import type { Verdict } from "./Verdict.ts"

export interface FeedbackContext {
  readonly accountId: AccountId
  readonly decision: Decision
  readonly request: AttributedFeedback
  readonly verdict: Verdict
  readonly usage: Usage
  /** Time from which the model's id names the present model, ms since 1970; 0 if it never named another. */
  readonly modelSinceMs: number
  /** Id of the API key that sent the report; empty if unknown. */
  readonly keyId: string
  /** Provider of the model that ran; null if the catalog does not have the model. */
  readonly provider: string | null
  readonly nameWarnings: ReadonlyArray<FeedbackWarning>
  readonly now: Date
  /** Id of the outcome of this decision and model, to which all reports on them belong. */
  readonly observationId: string
}

export interface CombinedFeedback extends FeedbackContext {
  /** The outcome before this feedback; null if no earlier report concerns the model. */
  readonly before: ReportedOutcome | null
  /** The outcome with this feedback; null if the decision can store no further model. */
  readonly outcome: ReportedOutcome | null
}
