/* This session's requests, so that a further attempt needs only the failed recommendation's id. */
import { spelled } from "../../Choice.ts"
import { excerptOf } from "../../Request.ts"
import type { Fields } from "../../agents/Json.ts"
import type { RecommendResponse } from "../../Wire.ts"
import type { Answer } from "../Service.ts"
import { keep, summaryOf } from "./Explain.ts"

/** Maximum number of earlier attempts that a request names. */
const namedMax = 16

export const createTasks = () => {
  const kept = new Map<string, Fields>()
  return {
    keep: (recommendationId: string, request: Fields): void => {
      const { task, ...about } = Object(request["task"])
      // Only an excerpt of a task is kept, because the service reads no more and memory is limited.
      keep(kept, recommendationId, { ...request, task: { ...about, task: excerptOf(task) } })
    },
    /** Returns the request that follows a failed attempt; null if the attempt's own request is not kept. */
    after: ({ evidence_source = "gate", recommendation_id, ...limits }: Fields): Fields | null => {
      const request = kept.get(String(recommendation_id))
      if (request === undefined) return null
      const before = request["attempts"] as ReadonlyArray<Fields> | undefined ?? []
      const failed = { recommendation_id, outcome: "failure", evidence_source }
      return {
        ...request,
        ...limits,
        verification: { kind: evidence_source === "no_result" ? "gate" : evidence_source },
        attempts: [...before, failed].slice(-namedMax)
      }
    }
  }
}

export type Tasks = ReturnType<typeof createTasks>

/** Shortens an answer for an agent: the next model, the plan, and whether an attempt is worth it. */
export const attemptOf = (answer: RecommendResponse): Answer => {
  const { attempts = [], stop_reason = null } = answer.plan ?? {}
  return {
    ...summaryOf(answer),
    is_worth_trying: attempts.length > 0,
    attempt_number: answer.attempt_number ?? null,
    is_retry: answer.is_retry ?? null,
    plan: attempts.map((attempt) => ({
      model_id: spelled(attempt),
      predicted_success: attempt.predicted_success,
      est_cost_usd: attempt.est_cost_usd
    })),
    stop_reason
  }
}
