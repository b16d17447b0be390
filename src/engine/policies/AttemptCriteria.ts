/** Criteria of a plan of attempts, and the knowledge of its task. */
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { GateErrors } from "../../stats/TaskDifficulty.ts"
import type { Conditioned } from "../recommend/attempts/Condition.ts"
import { checkErrors, type CheckRule } from "../recommend/attempts/KnownAttempts.ts"

/** Criteria of a plan of attempts, and the knowledge of its task from earlier attempts. */
export interface AttemptCriteria extends Omit<Conditioned, "candidates"> {
  /** Value of a right result, USD; null if the threshold decides. */
  readonly valueUsd: number | null
  readonly attemptsMax: number
  readonly totalUsdMax: number | null
  readonly errors: GateErrors
  /** Cost of a check, USD. */
  readonly checkUsd: number
  /** Whether no failed first attempt of the lane was followed by another, as far as this process has seen. */
  readonly isAlone?: boolean | undefined
}

type PlanRequest = Pick<
  RecommendRequest, "attempts" | "maxAttempts" | "maxTotalCostUsd" | "successValueUsd" | "verification"
>

/** Whether a request is about attempts: all others are answered without a plan. */
export const asksForPlan = (
  { attempts, maxTotalCostUsd, verification }: PlanRequest
): boolean => attempts.length > 0 || verification !== null || maxTotalCostUsd !== null

/** Without a check, every result is used. */
const unchecked: GateErrors = { passWrong: 0, failRight: 0 }

/**
 * The criteria of a request's plan. Without a check the plan has one attempt, because a failure would not be
 * noticed.
 */
export const attemptCriteria = (
  settings: CheckRule,
  { maxAttempts, maxTotalCostUsd, successValueUsd, verification }: PlanRequest,
  known: Omit<Conditioned, "candidates">
): AttemptCriteria => {
  const check = verification === null || verification.kind === "none" ? null : verification
  return {
    ...known,
    valueUsd: successValueUsd,
    attemptsMax: check === null ? 1 : maxAttempts,
    totalUsdMax: maxTotalCostUsd,
    errors: check === null ? unchecked : checkErrors(settings, check.kind, check),
    checkUsd: check?.costUsd ?? 0
  }
}
