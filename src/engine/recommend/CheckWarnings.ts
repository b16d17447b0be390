/** Stage: what is to be said of how the caller checks results, by what this process has seen of its lane. */
import { Effect } from "effect"
import type { RecommendRequest } from "../../domain/Recommendation.ts"
import type { LaneId } from "../../domain/Scope.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import { CheckHistory, type LaneChecks } from "../CheckHistory.ts"
import { type EngineSettings, Settings } from "../Settings.ts"

type CheckedRequest = Pick<RecommendRequest, "attempts" | "maxAttempts" | "shadow" | "verification">

/** The warnings that a lane's checks deserve, about a request for a task's first attempt. */
export const warningsOf = (
  { checkHistoryRule: rule }: Pick<EngineSettings, "checkHistoryRule">,
  { maxAttempts, shadow, verification }: CheckedRequest,
  { failedFirst, gatePasses, gateVerdicts, isRetried }: LaneChecks
): ReadonlyArray<RecommendWarning> => {
  if (verification === null || verification.kind === "none" || shadow) return []
  const isAlone = !isRetried && maxAttempts > 1 && failedFirst >= rule.failuresMin
  const isBlunt = verification.kind === "gate" && gateVerdicts >= rule.gateVerdictsMin
    && gatePasses > rule.gatePassShareMax * gateVerdicts
  return [
    ...(isAlone ? ["verification_without_retry" as const] : []),
    ...(isBlunt ? ["gate_seldom_fails" as const] : [])
  ]
}

/** Notes a further attempt; of a first one, yields what is to be said. */
export const checkWarnings = Effect.fnUntraced(function*(
  lane: LaneId,
  request: CheckedRequest
): Effect.fn.Return<ReadonlyArray<RecommendWarning>, never, CheckHistory | Settings> {
  const history = yield* CheckHistory
  if (request.attempts.length === 0) {
    return warningsOf(yield* Settings, request, yield* history.seenIn(lane))
  }
  yield* history.noteRetry(lane)
  return []
})
