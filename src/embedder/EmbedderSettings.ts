/** Settings of the remote embedder: time limits, sizes and pauses. */

/**
 * Share of a recall's time limit that may be spent on getting a vector. The remaining time is for a recall
 * with the built-in embedder.
 */
export const waitShare = 0.6

export const embedderSettings = {
  /** Longest wait of a recall or a feedback for a vector, ms: 0.6 of a recall's limit of 250 ms. */
  waitMs: 150,
  /**
   * Time limit of a request for a recall, ms. The request continues even if the recall stops waiting. Hosted
   * endpoints answer within half a second, or within 2 s if they are busy.
   */
  requestTimeoutMs: 2_000,
  /**
   * Time limit of a request in the background, ms. Embedding a batch takes seconds on a CPU. A request
   * without an answer delays the next one by this time.
   */
  backgroundMs: 10_000,
  // A connection to another continent takes up to half a second.
  connectMs: 1_000,
  /** Maximum number of texts in one request. Small self-hosted servers accept as many texts by default. */
  batchMax: 32,
  /**
   * Time for which a text waits for other texts in the same request, ms. The wait is short compared with a
   * round trip, but long enough for all steps of a workflow.
   */
  gatherMs: 2,
  /**
   * Maximum number of vectors that are remembered. A thousand remembered vectors of 1,536 dimensions take 6
   * MB. The vectors are remembered because a task is embedded for a recall and again for teaching.
   */
  rememberedMax: 1_000,
  // The largest expected answer, 32 vectors of 4,096 dimensions with 24 characters each, has 3.2 MB.
  answerBytesMax: 4_000_000,
  // A request holds 32 texts, and more than 8 requests at the same time would only queue at the endpoint.
  connectionsMax: 8,
  // Load balancers close idle connections after a longer time, so no request uses a connection that was just
  // closed.
  keepAliveMs: 30_000,
  /**
   * Longest `Retry-After` that is respected, ms: the length of a quota's window. A wrong header in an answer
   * must not disable the endpoint for longer.
   */
  retryAfterMsMax: 60_000,
  /** First and longest pause between two measurements of an unavailable endpoint, ms. */
  measureMs: 500,
  measureMsMax: 4_000,
  /**
   * Maximum mean cosine of unrelated texts at which an endpoint is used, in [0, 1). Known embedding models
   * have a mean cosine of at most 0.85. With a higher mean cosine, differences between texts are lost in
   * rounding.
   */
  floorMax: 0.95,
  /**
   * While the circuit breaker is open, one recall per second probes the endpoint. A vector that comes late
   * counts as a failure.
   */
  breaker: { failuresMax: 5, openMs: 1_000, slowMs: 100 }
}

export type EmbedderSettings = Readonly<typeof embedderSettings>
