/** Settings of the remote embedder: time limits, sizes and pauses. */

/** Share of a recall's time limit for getting a vector. The rest is for a recall by the built-in embedder. */
export const waitShare = 0.6

export const embedderSettings = {
  /** Longest wait of a recall or a feedback for a vector, ms: 0.6 of a recall's limit of 250 ms. */
  waitMs: 150,
  /**
   * Longest request for a recall, ms. The request continues if the recall gives up. Hosted endpoints answer
   * within half a second, or within 2 s if they are busy.
   */
  requestTimeoutMs: 2_000,
  /**
   * Longest request in the background, ms. A batch takes seconds on a CPU. A hanging request delays the next
   * one by this time.
   */
  backgroundMs: 10_000,
  // A connection to another continent takes up to half a second.
  connectMs: 1_000,
  /** Most texts in one request, count. Small self-hosted servers accept as many by default. */
  batchMax: 32,
  /**
   * How long a text waits for other texts in the same request, ms. The wait is short compared with a round
   * trip, but long enough for all steps of a workflow.
   */
  gatherMs: 2,
  /**
   * Most vectors remembered, count. A thousand vectors of 1,536 dimensions take 6 MB. A task is embedded for
   * a recall and again for teaching.
   */
  rememberedMax: 1_000,
  // 32 vectors of 4,096 dimensions with 24 characters each are 3.2 MB.
  answerBytesMax: 4_000_000,
  // Each request holds 32 texts; more than 8 at a time would only queue at the endpoint.
  connectionsMax: 8,
  // Load balancers close idle connections later, so no request uses a connection that was just closed.
  keepAliveMs: 30_000,
  /**
   * Longest `Retry-After` that is respected, ms: the window of a quota. A wrong header must not disable the
   * endpoint for longer.
   */
  retryAfterMsMax: 60_000,
  /** First and longest pause between two measurements of an unavailable endpoint, ms. */
  measureMs: 500,
  measureMsMax: 4_000,
  /**
   * Highest mean cosine of unrelated texts at which an endpoint is used, in [0, 1). Known models have at most
   * 0.85. With a higher mean, differences between texts are lost in rounding.
   */
  floorMax: 0.95,
  /** While the breaker is open, one recall per second probes the endpoint. A late vector is a failure. */
  breaker: { failuresMax: 5, openMs: 1_000, slowMs: 100 }
}

export type EmbedderSettings = Readonly<typeof embedderSettings>
