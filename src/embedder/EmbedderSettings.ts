/** Settings of the remote embedder: time limits, sizes and pauses. */

/** Share of a recall's time limit for getting a vector; the rest is for the built-in embedder. */
export const waitShare = 0.6

export const embedderSettings = {
  /** Longest wait of a recall or a feedback for a vector, ms: 0.6 of a recall's default limit of 250 ms. */
  waitMs: 150,
  /** Time limit of a request to the endpoint, ms. */
  requestTimeoutMs: 2_000,
  /** Time limit of a background request to the endpoint, ms. */
  backgroundMs: 10_000,
  connectMs: 1_000,
  /** Maximum number of texts in one request. */
  batchMax: 32,
  /** Time for which a text waits for other texts of its request, ms. */
  gatherMs: 2,
  /** Maximum number of remembered vectors. */
  rememberedMax: 1_000,
  // The largest expected answer, 32 vectors of 4,096 numbers with 24 characters each, has 3.1 MB.
  answerBytesMax: 4_000_000,
  // Chosen.
  connectionsMax: 8,
  keepAliveMs: 30_000,
  /** Longest pause that a `Retry-After` header can cause, ms, because a header may be wrong. */
  retryAfterMsMax: 60_000,
  /** First and longest pause between two measurements of an unavailable endpoint, ms. */
  measureMs: 500,
  measureMsMax: 4_000,
  /** Maximum mean cosine of unrelated texts at which an endpoint is used, in [0, 1). */
  floorMax: 0.95,
  /** While the circuit breaker is open, at most one call per second probes the endpoint. */
  breaker: { failuresMax: 5, openMs: 1_000, slowMs: 100 }
}

export type EmbedderSettings = Readonly<typeof embedderSettings>
