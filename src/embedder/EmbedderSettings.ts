import type { BreakerSettings } from "../resilience/CircuitBreaker.ts"
import type { TransportSettings } from "../resilience/HttpTransport.ts"

export interface EmbedderSettings extends TransportSettings {
  /** Longest that a recall, or a feedback, waits for a vector, in milliseconds. */
  readonly waitMs: number
  /** Longest that a question goes on after its asker has left, so that its answer is remembered, in ms. */
  readonly patienceMs: number
  /** Longest wait for the answer to a question asked in the background, in milliseconds. */
  readonly backgroundMs: number
  /** Texts of one question, count. */
  readonly batchMax: number
  /** How long a text waits for others to go with it, in milliseconds. */
  readonly gatherMs: number
  /** Vectors remembered, count. */
  readonly rememberedMax: number
  /** Longest `Retry-After` that is honoured, in milliseconds. */
  readonly retryAfterMsMax: number
  /** First and longest pause between two attempts to measure an endpoint that is out, in milliseconds. */
  readonly measureMs: number
  readonly measureMsMax: number
  /** Cosine of unrelated texts above which an endpoint tells nothing apart, in [0, 1). */
  readonly floorMax: number
  readonly breaker: BreakerSettings
}

/** Share of the recall budget that a vector may take; the rest is for the lexical lane, should it fail. */
export const waitShare = 0.6

export const embedderSettings: EmbedderSettings = {
  // 0.6 of the recall budget, 250 ms.
  waitMs: 150,
  // Hosted endpoints answer within half a second, 2 s when they are busy.
  patienceMs: 2_000,
  // A batch takes seconds on a CPU; one that hangs keeps the others waiting that long.
  backgroundMs: 10_000,
  // Another continent is connected within half a second.
  connectMs: 1_000,
  // 128 kB of text; as many as small self-hosted servers take at once by default.
  batchMax: 32,
  // Little beside the way there, and enough for the steps of a workflow to go together.
  gatherMs: 2,
  // At most 8 MB of 1,536 dimensions, and 8 MB of texts. A task is embedded to recall and again to teach.
  rememberedMax: 1_000,
  // 32 vectors of 4,096 dimensions with 24 characters each are 3.2 MB.
  answerBytesMax: 4_000_000,
  // A question for 32 texts at once; more than 8 at a time only queue at the endpoint.
  connectionsMax: 8,
  // Below what common load balancers allow: nobody writes into a connection just closed.
  keepAliveMs: 30_000,
  // A header gone wrong must not take the endpoint away for longer than a quota's window.
  retryAfterMsMax: 60_000,
  // An endpoint that is back is used within 4 s.
  measureMs: 500,
  measureMsMax: 4_000,
  // The narrowest known models have 0.75 to 0.85; past it the differences drown in rounding.
  floorMax: 0.95,
  // One recall in a second pays for the probe; a vector that comes too late is a failure.
  breaker: { failuresMax: 5, openMs: 1_000, slowMs: 100 }
}
