/* Asks the service once, within the deadline, unless questions are paused. */
import { attempt, idOf, textOf } from "./ForeignValues.ts"
import { known } from "./Usage.ts"
import type { DefaultReason } from "./Options.ts"
import { type Post, Refused, waitMaxMs, within } from "./Transport.ts"
import type { RecommendResponse } from "./Wire.ts"

const failuresMax = 3
/** Minimum pause after the status 429, in ms. */
const waitMinMs = 1_000

export interface Unasked {
  readonly answer: null
  readonly reason: DefaultReason
  readonly detail: string
  readonly retryAfterMs: number
}

export type Asked = { readonly answer: RecommendResponse } | Unasked

const isModel = (model: unknown): boolean => {
  const { model_id: id, predicted_success: success } = Object(model)
  return !!idOf(id) && known(success)
}

/** Whether an answer has the fields that the client needs. */
export const isAnswer = (answer: unknown): answer is RecommendResponse => {
  const { ranked, recommendation_id: id, recommended_model: model } = Object(answer)
  return !!idOf(id) && Array.isArray(ranked) && [model, ...ranked].every(isModel)
}

const reasonOf = (error: unknown): DefaultReason =>
  error instanceof Refused ? error.problem.type === "budget_exhausted" ? error.problem.type : "refused"
    : error instanceof SyntaxError ? "invalid_answer"
    : attempt(() => Object(error).name === "TimeoutError", false) ? "timeout"
    : "unreachable"

/**
 * After three failures in a row, or a status 429, questions fail at once for a while. After the pause one
 * question tests the service. While the budget is known to be used up, failures except aborts have the reason
 * `budget_exhausted`.
 */
export const createAsk = (post: Post, pauseMs: number): {
  readonly ask: (json: string, deadlineMs: number, signal: AbortSignal | null | undefined) => Promise<Asked>
  readonly unasked: (reason: DefaultReason, detail: string) => Unasked
} => {
  let failures = 0
  let pausedUntil = 0
  let exhaustedUntil = 0
  let exhaustedDetail = ""

  const unasked = (given: DefaultReason, detail: string): Unasked => {
    const retryAfterMs = Math.max(exhaustedUntil - performance.now(), 0)
    const reason = retryAfterMs > 0 && given !== "aborted" ? "budget_exhausted" : given
    return {
      answer: null, reason, detail: reason === "budget_exhausted" ? exhaustedDetail : detail, retryAfterMs
    }
  }

  const ask = async (json: string, deadlineMs: number, signal: AbortSignal | null | undefined) => {
    const now = performance.now()
    if (now < pausedUntil) return unasked("paused", `for ${Math.ceil(pausedUntil - now)} ms more`)
    // The pause is renewed before the test question is sent, so that other questions fail at once.
    if (pausedUntil > 0) pausedUntil = now + pauseMs
    try {
      const answer = await within(deadlineMs, signal, true, (inner) => post("/v1/recommend", json, inner))
      if (!isAnswer(answer)) throw new SyntaxError("No answer")
      failures = pausedUntil = exhaustedUntil = 0
      return { answer }
    } catch (error) {
      if (signal?.aborted) return unasked("aborted", textOf(error))
      const refused: Partial<Refused> = error instanceof Refused ? error : {}
      const { problem, retryAfterMs = 0, status = 0 } = refused
      const reason = reasonOf(error)
      const failedMs = performance.now()
      if (reason === "budget_exhausted") {
        exhaustedDetail = textOf(problem?.detail)
        exhaustedUntil = failedMs + retryAfterMs
        failures = pausedUntil = 0
      } else if (status === 429) {
        pausedUntil = failedMs + Math.min(Math.max(retryAfterMs, waitMinMs), waitMaxMs)
      } else if (status && status !== 401 && status < 500) {
        // A refusal such as 400 or 422 shows that the service is up, so the pause ends.
        failures = pausedUntil = 0
      } else if (++failures >= failuresMax) pausedUntil = failedMs + pauseMs
      return unasked(reason, textOf(error))
    }
  }
  return { ask, unasked }
}
