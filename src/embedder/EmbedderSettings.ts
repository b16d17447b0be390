/** Settings of the remote embedder: time limits, sizes and pauses. */

/** Share of a recall's time limit for getting a vector; the rest is for the built-in embedder. */
export const waitShare = 0.6

export const embedderSettings = {
  /** Longest wait of a recall or a feedback for a vector, ms: 0.6 of a recall's limit of 250 ms. */
  waitMs: 150,
  /** Time limit of a request to the endpoint, ms. Busy hosted endpoints answer within 2 s. */
  requestTimeoutMs: 2_000,
  /** Time limit of a background request to the endpoint, ms. Embedding a batch takes seconds on a CPU. */
  backgroundMs: 10_000,
  // A connection to another continent takes up to half a second.
  connectMs: 1_000,
  /** Maximum number of texts in one request. Small self-hosted servers accept 32 texts by default. */
  batchMax: 32,
  /** Time for which a text waits for other texts of its request, ms: enough for a workflow's steps. */
  gatherMs: 2,
  /** Maximum number of remembered vectors. A task is embedded for a recall and again for teaching. */
  rememberedMax: 1_000,
  // The largest expected answer, 32 vectors of 4,096 numbers with 24 characters each, has 3.1 MB.
  answerBytesMax: 4_000_000,
  // More than 8 requests at the same time, with up to 32 texts each, would only queue at the endpoint.
  connectionsMax: 8,
  // Idle connections are closed after 30 s, before a load balancer would close them.
  keepAliveMs: 30_000,
  /** Longest pause that a `Retry-After` header can cause, ms, because a header may be wrong. */
  retryAfterMsMax: 60_000,
  /** First and longest pause between two measurements of an unavailable endpoint, ms. */
  measureMs: 500,
  measureMsMax: 4_000,
  /**
   * Maximum mean cosine of unrelated texts at which an endpoint is used, in [0, 1). The known embedding model
   * with the highest mean cosine of unrelated texts has 0.85.
   */
  floorMax: 0.95,
  /** While the circuit breaker is open, one recall per second probes the endpoint. */
  breaker: { failuresMax: 5, openMs: 1_000, slowMs: 100 }
}

export type EmbedderSettings = Readonly<typeof embedderSettings>
