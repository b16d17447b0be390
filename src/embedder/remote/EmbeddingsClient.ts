/** Sends single requests to an OpenAI-compatible `/embeddings` over HTTP. */
import { Effect, type Option, type Redacted, Schema } from "effect"
import type { HttpClient } from "effect/http"
import { monotonicMs } from "../../domain/Time.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { bearer, postJson } from "../../resilience/HttpTransport.ts"
import { AskedToWait } from "../../resilience/RetryAfter.ts"
import { EmbedderUnavailable } from "../Embedder.ts"
import type { EmbedderSettings } from "../EmbedderSettings.ts"

export interface EmbedderOptions {
  /** Base URL including the version: `https://api.example.com/v1`. */
  readonly url: URL
  readonly model: string
  /** The API key; absent if none is configured. */
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
  readonly dimensions: number
}

/** All numbers of a vector are checked in one pass, because a schema check of each number is slow. */
const Numbers = Schema.declare(
  (value): value is ReadonlyArray<number> => Array.isArray(value) && value.every(Number.isFinite),
  { expected: "finite numbers" }
)

const Answer = Schema.fromJsonString(Schema.Struct({
  data: Schema.Array(Schema.Struct({ index: Schema.optionalKey(Schema.Int), embedding: Numbers }))
}))

const failed = (reason: Reason.FailureReason) => new EmbedderUnavailable({ reason })

/** Scales to a unit vector; null if there are not exactly `dimensions` numbers, or if their norm is 0. */
const unitOf = (numbers: ReadonlyArray<number>, dimensions: number): Float32Array | null => {
  const norm = Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0))
  return numbers.length === dimensions && norm > 0 && Number.isFinite(norm)
    ? Float32Array.from(numbers, (each) => each / norm)
    : null
}

/** Returns the texts' vectors in their order, or null unless each text has exactly one valid vector. */
const vectorsOf = (
  { data }: (typeof Answer)["Type"],
  count: number,
  dimensions: number
): ReadonlyArray<Float32Array> | null => {
  const found = new Map<number, Float32Array>()
  data.forEach(({ embedding, index }, at) => {
    const vector = unitOf(embedding, dimensions)
    if (vector !== null) found.set(index ?? at, vector)
  })
  const vectors = Array.from({ length: count }, (_, at) => found.get(at))
  return data.length === count && vectors.every((vector) => vector !== undefined) ? vectors : null
}

export interface EmbeddingsClient {
  /**
   * Fails unless the answer has one valid vector for each text. A failure quotes neither the request nor the
   * answer.
   */
  readonly ask: (
    texts: ReadonlyArray<string>,
    options: { readonly sendsDimensions: boolean; readonly withinMs: number }
  ) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderUnavailable>
}

export const makeEmbeddingsClient = (
  client: HttpClient.HttpClient,
  options: EmbedderOptions,
  { retryAfterMsMax }: EmbedderSettings
): EmbeddingsClient => {
  const { apiKey, dimensions, model, url } = options
  /**
   * End of the last pause that the endpoint asked for, ms of the monotonic clock; -Infinity before the first.
   */
  let pauseUntilMs = -Infinity
  const rest = Effect.fnUntraced(function*(reason: Reason.FailureReason) {
    if (reason._tag !== "Unreachable" || reason.retryAfterMs === undefined) return
    const waitMs = Math.min(reason.retryAfterMs, retryAfterMsMax)
    pauseUntilMs = Math.max(pauseUntilMs, (yield* monotonicMs) + waitMs)
  })

  return {
    ask: Effect.fnUntraced(function*(texts, { sendsDimensions, withinMs }) {
      const leftMs = pauseUntilMs - (yield* monotonicMs)
      if (leftMs > 0) {
        return yield* failed(new Reason.NotSent({ cause: new AskedToWait(), retryAfterMs: leftMs }))
      }
      const body = {
        model,
        input: texts,
        encoding_format: "float",
        ...(sendsDimensions ? { dimensions } : {})
      }
      const text = yield* postJson(client, url, "/embeddings", bearer(apiKey), body).pipe(
        Effect.tapError(rest),
        deadline(withinMs, () => new Reason.TimedOut({ limitMs: withinMs })),
        Effect.mapError(failed)
      )
      const answer = yield* Schema.decodeEffect(Answer)(text).pipe(
        Effect.mapError(() => failed(new Reason.Unreachable({ cause: "not the protocol's answer" })))
      )
      const vectors = vectorsOf(answer, texts.length, dimensions)
      if (vectors !== null) return vectors
      const cause = `not ${texts.length} vectors of ${dimensions} numbers`
      return yield* failed(new Reason.Unreachable({ cause }))
    })
  }
}
