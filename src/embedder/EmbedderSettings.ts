/** Settings of the remote embedder: time limits, sizes and pauses. */

/** Share of a recall's time limit for getting a vector. The built-in embedder needs the remaining time. */
export const waitShare = 0.6

export const embedderSettings = {
  /** Longest wait of a recall or a feedback for a vector, ms: 0.6 of a recall's limit of 250 ms. */
  waitMs: 150,
  /** Time limit of a recall's request, ms. Busy hosted endpoints answer within 2 s. */
  requestTimeoutMs: 2_000,
  /** Time limit of a request in the background, ms. Embedding a batch takes seconds on a CPU. */
  backgroundMs: 10_000,
  // A connection to another continent takes up to half a second.
  connectMs: 1_000,
  /** Maximum number of texts in one request. Small self-hosted servers accept as many texts by default. */
  batchMax: 32,
  /** Time for which a text waits for other texts of its request, ms: enough for a workflow's steps. */
  gatherMs: 2,
  /** Maximum number of remembered vectors, of 6 kB each. A task is embedded for a recall and for teaching. */
  rememberedMax: 1_000,
  // The largest expected answer, 32 vectors of 4,096 dimensions with 24 characters each, has 3.2 MB.
  answerBytesMax: 4_000_000,
  // A request holds 32 texts, and more than 8 requests at the same time would only queue at the endpoint.
  connectionsMax: 8,
  // Load balancers close idle connections later, so no request uses a connection that was just closed.
  keepAliveMs: 30_000,
  /** Longest `Retry-After` that is respected, ms: a quota's window. A header may be wrong. */
  retryAfterMsMax: 60_000,
  /** First and longest pause between two measurements of an unavailable endpoint, ms. */
  measureMs: 500,
  measureMsMax: 4_000,
  /**
   * Maximum mean cosine of unrelated texts at which an endpoint is used, in [0, 1). Known models have at most
   * 0.85. Above the limit, differences between texts are lost in rounding.
   */
  floorMax: 0.95,
  /**
   * One recall per second probes the endpoint while the circuit breaker is open. A late vector is a failure.
   */
  breaker: { failuresMax: 5, openMs: 1_000, slowMs: 100 }
}

export type EmbedderSettings = Readonly<typeof embedderSettings>
