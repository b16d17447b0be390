// A `fetch` that answers as a test says, and keeps what it was sent.
import type { Fetch } from "../../../../packages/client/src/Transport.ts"
import type { FeedbackRequest, RecommendRequest } from "../../../../packages/client/src/Wire.ts"

/** A model of an answer. */
export const modelOf = (id: string, provider = `of-${id}`, predicted_success = 0.5) => ({ model_id: id, requested_model_id: id, provider, predicted_success })

/** An answer that recommends a model; as much of it as the client reads. */
export const answerOf = (id: string, over: object = {}) => ({
  recommendation_id: `r-${id}`, recommended_model: modelOf(id), ranked: [modelOf(id)], fallback_model: null, ...over
})

/** Answers each recommendation by `answer`, which may throw, and accepts each feedback unless `feedback` says otherwise. */
export const scripted = (
  answer: () => object,
  feedback: () => Response | Promise<Response> = () => Response.json({ accepted: true, warnings: [] })
) => {
  const sent: Array<{ readonly url: string; readonly body: string }> = []
  const fetch: Fetch = async (url, { body }) => {
    sent.push({ url, body: String(body) })
    if (url.endsWith("/feedback")) return feedback()
    const said = answer()
    return said instanceof Response ? said : Response.json(said)
  }
  return {
    fetch,
    hits: () => sent.length,
    urls: () => sent.map(({ url }) => url),
    bodies: (): ReadonlyArray<Partial<RecommendRequest & FeedbackRequest>> => sent.map(({ body }) => JSON.parse(body))
  }
}
