/** Stage: warnings about how the caller checks results, from the lane's history in this process. */
import { Effect } from "effect"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { LaneId } from "../../domain/Scope.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import { CheckHistory, type LaneChecks } from "../CheckHistory.ts"
import { type EngineSettings, Settings } from "../Settings.ts"

type FindingsRequest = Pick<RecommendRequest, "attempts" | "maxAttempts" | "shadow" | "verification">

interface CheckFindings {
  /** True only if this process has seen many failed first attempts in the lane, but no second attempt. */
  readonly isAlone: boolean
  readonly warnings: ReadonlyArray<RecommendWarning>
}

const nothing: CheckFindings = { isAlone: false, warnings: [] }

export const findingsOf = (
  { checkHistoryRule: rule }: Pick<EngineSettings, "checkHistoryRule">,
  { maxAttempts, shadow, verification }: FindingsRequest,
  { failedFirst, gatePasses, gateVerdicts, isRetried }: LaneChecks
): CheckFindings => {
  if (verification === null || verification.kind === "none" || shadow) return nothing
  const isBlunt = verification.kind === "gate" && gateVerdicts >= rule.gateVerdictsMin
    && gatePasses > rule.gatePassShareMax * gateVerdicts
  return {
    isAlone: !isRetried && maxAttempts > 1 && failedFirst >= rule.failuresMin,
    warnings: isBlunt ? ["gate_seldom_fails"] : []
  }
}

/** Records a retry if the request names earlier attempts, else returns findings on the lane's checks. */
export const checkFindings = Effect.fnUntraced(function*(
  lane: LaneId,
  request: FindingsRequest
): Effect.fn.Return<CheckFindings, never, CheckHistory | Settings> {
  const history = yield* CheckHistory
  if (request.attempts.length === 0) {
    return findingsOf(yield* Settings, request, yield* history.seenIn(lane))
  }
  yield* history.noteRetry(lane)
  return nothing
})
