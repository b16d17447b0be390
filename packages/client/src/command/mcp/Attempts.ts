/* Keeps the tasks of this session. A next attempt is asked for by the id of the failed recommendation. */
import { spelled } from "../../Choice.ts"
import { excerptOf } from "../../Request.ts"
import type { Fields } from "../../agents/Json.ts"
import type { RecommendResponse } from "../../Wire.ts"
import type { Answer } from "../Service.ts"
import { keep, summaryOf } from "./Explain.ts"

/** Largest number of attempts in a request, count. */
const namedMax = 16

/** Keeps the requests of this session by the id of their recommendation. */
export const createTasks = () => {
  const kept = new Map<string, Fields>()
  return {
    keep: (recommendationId: string, request: Fields): void => {
      const { task, ...about } = Object(request["task"])
      // The service reads no more of a task, and whole tasks would fill the memory.
      keep(kept, recommendationId, { ...request, task: { ...about, task: excerptOf(task) } })
    },
    /** The request for the attempt after a failed one; null for an unknown recommendation. */
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

/** The answer about a next attempt for a model to read, with the plan and the worth of an attempt. */
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
