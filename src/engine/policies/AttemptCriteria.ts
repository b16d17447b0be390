/** The criteria of a plan of attempts, and what the attempts say about the task. */
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { GateErrors } from "../../stats/TaskDifficulty.ts"
import { checkErrors, type CheckRule } from "../recommend/attempts/KnownAttempts.ts"

export interface AttemptKnowledge {
  readonly made: number
  /** Key of the task, from the first attempt found in the ledger; null if none was found. */
  readonly taskKey: string | null
  /** Probability of each difficulty after the attempts; the probabilities sum to 1. */
  readonly weights: Float64Array
  /** Standard deviation of the difficulty that the text does not show, logit. */
  readonly spread: number
  readonly ran: ReadonlySet<string>
  /** The models with a judged run; their next run is a repeat. */
  readonly judged: ReadonlySet<string>
  /** The models with a failed run, each listed once, in the order of their runs. */
  readonly failed: ReadonlyArray<string>
  /**
   * Success of a candidate's next run for each assumed spread of difficulty; empty if no attempt was judged.
   */
  readonly bySpread: (modelId: string) => ReadonlyArray<number>
}

export interface AttemptCriteria extends AttemptKnowledge {
  /** Value of a right result, USD; null if the plan aims at the threshold instead. */
  readonly valueUsd: number | null
  readonly attemptsMax: number
  readonly totalUsdMax: number | null
  readonly errors: GateErrors
  /** Cost of a check, USD. */
  readonly checkUsd: number
  /** True only if this process has seen many failed first attempts in the lane, but no second attempt. */
  readonly isAlone?: boolean | undefined
}

type PlanRequest = Pick<
  RecommendRequest, "attempts" | "maxAttempts" | "maxTotalCostUsd" | "successValueUsd" | "verification"
>

/** A request gets a plan if it names earlier attempts, a check, or a limit on the total cost. */
export const asksForPlan = (
  { attempts, maxTotalCostUsd, verification }: PlanRequest
): boolean => attempts.length > 0 || verification !== null || maxTotalCostUsd !== null

const unchecked: GateErrors = { passWrong: 0, failRight: 0 }

/** Without a check, the plan has at most one attempt, because a failure would not be noticed. */
export const attemptCriteria = (
  settings: CheckRule,
  { maxAttempts, maxTotalCostUsd, successValueUsd, verification }: PlanRequest,
  known: AttemptKnowledge
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
