/** Limits of the remote embedder: time, size, batches, memory. */
import type { BreakerSettings } from "../resilience/CircuitBreaker.ts"
import type { TransportSettings } from "../resilience/HttpTransport.ts"

export interface EmbedderSettings extends TransportSettings {
  /** Longest wait of a recall or a feedback for a vector, in milliseconds. */
  readonly waitMs: number
  /** Longest request on behalf of a recall, which continues when the recall gives up, in milliseconds. */
  readonly requestTimeoutMs: number
  /** Longest request in the background, in milliseconds. */
  readonly backgroundMs: number
  /** Most texts in one request, count. */
  readonly batchMax: number
  /** How long a text waits for others to share its request, in milliseconds. */
  readonly gatherMs: number
  /** Vectors remembered, count. */
  readonly rememberedMax: number
  /** Longest `Retry-After` that is honoured, in milliseconds. */
  readonly retryAfterMsMax: number
  /** First and longest pause between two tries to measure an unavailable endpoint, in milliseconds. */
  readonly measureMs: number
  readonly measureMsMax: number
  /** Mean cosine of unrelated texts above which an endpoint is not used, in [0, 1). */
  readonly floorMax: number
  readonly breaker: BreakerSettings
}

/** Share of a recall's time limit for a vector; the rest is for a recall by the built-in embedder. */
export const waitShare = 0.6

export const embedderSettings: EmbedderSettings = {
  // 0.6 of a recall's time limit, 250 ms.
  waitMs: 150,
  // Hosted endpoints answer within half a second, 2 s when they are busy.
  requestTimeoutMs: 2_000,
  // A batch takes seconds on a CPU; a request that hangs delays the next ones by as much.
  backgroundMs: 10_000,
  // Another continent is connected within half a second.
  connectMs: 1_000,
  // 128 kB of text; as many as small self-hosted servers take at once by default.
  batchMax: 32,
  // Short beside a round trip, and enough for the steps of a workflow to share a request.
  gatherMs: 2,
  // At most 8 MB of 1,536 dimensions, and 8 MB of texts. A task is embedded to recall and again to teach.
  rememberedMax: 1_000,
  // 32 vectors of 4,096 dimensions with 24 characters each are 3.2 MB.
  answerBytesMax: 4_000_000,
  // Each request holds 32 texts; more than 8 at a time would only queue at the endpoint.
  connectionsMax: 8,
  // Less than common load balancers allow, so that no request goes into a connection just closed.
  keepAliveMs: 30_000,
  // A wrong header must not disable the endpoint for longer than a quota's window.
  retryAfterMsMax: 60_000,
  // A recovered endpoint is used within 4 s.
  measureMs: 500,
  measureMsMax: 4_000,
  // The narrowest known models have 0.75 to 0.85; above the limit differences are lost in rounding.
  floorMax: 0.95,
  // One recall in a second is the probe; a vector that comes too late is a failure.
  breaker: { failuresMax: 5, openMs: 1_000, slowMs: 100 }
}
