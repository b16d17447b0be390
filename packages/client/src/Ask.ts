/* Asks the service once, within the deadline; and does not ask for a moment while it is out. */
import { attempt, textOf } from "./Foreign.ts"
import type { DefaultReason } from "./Options.ts"
import { type Post, Refused, waitMaxMs, within } from "./Transport.ts"
import type { RecommendResponse } from "./Wire.ts"

/** Failures in a row after which the service is not asked, count. */
const failuresMax = 3
/** The shortest pause after a 429, in ms. */
const waitMinMs = 1_000

/** An answer, or why there is none. */
export type Asked =
  | { readonly answer: RecommendResponse }
  | { readonly answer: null; readonly reason: DefaultReason; readonly detail: string }

export const failedToAsk = (reason: DefaultReason, detail: string): Asked =>
  ({ answer: null, reason, detail })

const isModel = (model: unknown): boolean => {
  const { model_id: id, predicted_success: success } = Object(model)
  return typeof id === "string" && typeof success === "number"
}

/** Whether an answer has what is read of it. */
const isAnswer = (answer: unknown): answer is RecommendResponse => {
  const { ranked, recommendation_id: id, recommended_model: model } = Object(answer)
  return typeof id === "string" && !!id && Array.isArray(ranked) && [model, ...ranked].every(isModel)
}

const reasonOf = (error: unknown): DefaultReason =>
  error instanceof Refused ? "refused"
    : error instanceof SyntaxError ? "invalid_answer"
    : attempt(() => Object(error).name === "TimeoutError", false) ? "timeout"
    : "unreachable"

/**
 * Asks for a recommendation. After three failures in a row, or a 429, further questions fail at once with
 * `paused`; when the pause is over, one question is let through, and its answer decides.
 */
export const createAsk = (post: Post, pauseMs: number) => {
  let failures = 0
  let pausedUntil = 0

  const failed = (error: unknown): void => {
    failures++
    const now = performance.now()
    if (error instanceof Refused && error.status === 429) {
      pausedUntil = now + Math.min(Math.max(error.retryAfterMs, waitMinMs), waitMaxMs)
    } else if (failures >= failuresMax) pausedUntil = now + pauseMs
  }

  return async (json: string, deadlineMs: number, signal: AbortSignal | null | undefined): Promise<Asked> => {
    const now = performance.now()
    if (now < pausedUntil) return failedToAsk("paused", `for ${Math.ceil(pausedUntil - now)} ms more`)
    // One question decides whether the pause is over; those beside it do not wait for it.
    if (pausedUntil > 0) pausedUntil = now + pauseMs
    try {
      const answer = await within(deadlineMs, signal, true, (inner) => post("/v1/recommend", json, inner))
      if (!isAnswer(answer)) throw new SyntaxError("No recommendation")
      failures = pausedUntil = 0
      return { answer }
    } catch (error) {
      if (signal?.aborted) return failedToAsk("aborted", textOf(error))
      // A refusal of this request, such as 400 or 422, is an answer: the service is there. One of the key or
      // for a limit would be the same for any request.
      const isAnswer = error instanceof Refused && error.status < 500 && ![401, 429].includes(error.status)
      if (isAnswer) failures = pausedUntil = 0
      else failed(error)
      return failedToAsk(reasonOf(error), textOf(error))
    }
  }
}
