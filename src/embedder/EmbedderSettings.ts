/** Limits of the remote embedder: time, size, batches, memory. */

/** Share of a recall's time limit for a vector; the rest is for a recall by the built-in embedder. */
export const waitShare = 0.6

export const embedderSettings = {
  /** Longest wait of a recall or a feedback for a vector, ms: 0.6 of a recall's time limit, 250 ms. */
  waitMs: 150,
  /**
   * Longest request on behalf of a recall, which continues when the recall gives up, ms. Hosted endpoints
   * answer within half a second, 2 s when they are busy.
   */
  requestTimeoutMs: 2_000,
  /**
   * Longest request in the background, ms. A batch takes seconds on a CPU; a request that hangs delays the
   * next ones by as much.
   */
  backgroundMs: 10_000,
  // Another continent is connected within half a second.
  connectMs: 1_000,
  /** Most texts in one request: 128 kB of text; as many as small self-hosted servers take by default. */
  batchMax: 32,
  /**
   * How long a text waits for others to share its request, ms. Short beside a round trip, and enough for the
   * steps of a workflow to share a request.
   */
  gatherMs: 2,
  /**
   * Vectors remembered, count. At most 8 MB of 1,536 dimensions, and 8 MB of texts. A task is embedded to
   * recall and again to teach.
   */
  rememberedMax: 1_000,
  // 32 vectors of 4,096 dimensions with 24 characters each are 3.2 MB.
  answerBytesMax: 4_000_000,
  // Each request holds 32 texts; more than 8 at a time would only queue at the endpoint.
  connectionsMax: 8,
  // Less than common load balancers allow, so that no request goes into a connection just closed.
  keepAliveMs: 30_000,
  /**
   * Longest `Retry-After` that is honoured, ms. A wrong header must not disable the endpoint for longer than
   * a quota's window.
   */
  retryAfterMsMax: 60_000,
  /** First and longest pause between two tries to measure an unavailable endpoint, ms. */
  measureMs: 500,
  measureMsMax: 4_000,
  /**
   * Mean cosine of unrelated texts above which an endpoint is not used, in [0, 1). The narrowest known models
   * have 0.75 to 0.85; above the limit differences are lost in rounding.
   */
  floorMax: 0.95,
  /** One recall in a second is the probe; a vector that comes too late is a failure. */
  breaker: { failuresMax: 5, openMs: 1_000, slowMs: 100 }
}

export type EmbedderSettings = Readonly<typeof embedderSettings>
