/** What a request about attempts asks of its plan, and what is known of its task. */
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { GateErrors } from "../../stats/TaskDifficulty.ts"
import type { Conditioned } from "../recommend/attempts/Condition.ts"
import { checkErrors, type CheckRule } from "../recommend/attempts/KnownAttempts.ts"

/** What a request asks of its plan, and what is known of its task. */
export interface AttemptCriteria extends Omit<Conditioned, "candidates"> {
  /** What a right result is worth, USD; null where the threshold decides. */
  readonly valueUsd: number | null
  readonly attemptsMax: number
  readonly totalUsdMax: number | null
  readonly errors: GateErrors
  /** What a check costs, USD. */
  readonly checkUsd: number
  /** Whether the lane's failed first attempts are followed by none, as far as this process has seen. */
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
 * What a request asks of its plan. Without a check it has one attempt, as its failure would not be noticed.
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
