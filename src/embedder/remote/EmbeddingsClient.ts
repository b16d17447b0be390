/** One request over HTTP to an OpenAI-compatible `/embeddings`. */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { monotonicMs } from "../../domain/Time.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { AskedToWait, retryAfterMs } from "../../resilience/RetryAfter.ts"
import { EmbedderUnavailable } from "../Embedder.ts"
import type { EmbedderSettings } from "../EmbedderSettings.ts"

export interface EmbedderOptions {
  /** Base URL, its version included: `https://api.example.com/v1`. */
  readonly url: URL
  readonly model: string
  /** None for a service without keys, such as one on the same machine. */
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
  /** Length of the vectors. */
  readonly dimensions: number
}

/** Checked as one array: a schema for each of 50,000 numbers would take longer than a round trip. */
const Numbers = Schema.declare(
  (value): value is ReadonlyArray<number> => Array.isArray(value) && value.every(Number.isFinite),
  { expected: "finite numbers" }
)

const Answer = Schema.fromJsonString(Schema.Struct({
  data: Schema.Array(Schema.Struct({ index: Schema.optionalKey(Schema.Int), embedding: Numbers }))
}))

const failed = (reason: Reason.FailureReason) => new EmbedderUnavailable({ reason })

/** Statuses that blame what was sent. */
const statusesOfText: ReadonlyArray<number> = [400, 413, 422]

/** The reason of a status other than 200; `retryAfterMs`: as the answer asks, null where it does not. */
const reasonOf = (status: number, retryAfterMs: number | null): Reason.FailureReason => {
  if (statusesOfText.includes(status)) return new Reason.Rejected({ cause: `status ${status}` })
  if (status === 401 || status === 403) return new Reason.Unauthorized({ cause: `status ${status}` })
  return new Reason.Unreachable({ status, ...(retryAfterMs === null ? {} : { retryAfterMs }) })
}

/** The numbers as a unit vector; null when their count is not `dimensions` or their norm is 0. */
const unitOf = (numbers: ReadonlyArray<number>, dimensions: number): Float32Array | null => {
  const norm = Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0))
  return numbers.length === dimensions && norm > 0 && Number.isFinite(norm)
    ? Float32Array.from(numbers, (each) => each / norm)
    : null
}

/** One vector for each text, in the order of the texts; null when any is missing or invalid. */
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
   * Sends one request. The answer must hold one vector of finite numbers and of the right length for each
   * text. A failure tells its kind, and quotes neither request nor answer.
   */
  readonly ask: (
    texts: ReadonlyArray<string>,
    options: { readonly sendsDimensions: boolean; readonly withinMs: number }
  ) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderUnavailable>
}

/** When the endpoint may be asked again, monotonic, ms; without a pause that it asked for, in the past. */
interface Pause {
  untilMs: number
}

/** Sends the body and yields the answer's text. A pause that the answer asks for is recorded in `pause`. */
const postWith = (
  client: HttpClient.HttpClient,
  { apiKey, url }: EmbedderOptions,
  pause: Pause,
  retryAfterMsMax: number
) => {
  const address = `${url.href.replace(/\/+$/, "")}/embeddings`
  const headers = {
    accept: "application/json",
    ...Option.match(apiKey, {
      onNone: () => ({}),
      onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` })
    })
  }
  return (body: unknown) =>
    HttpClientRequest.post(address, { headers }).pipe(
      HttpClientRequest.bodyJsonUnsafe(body),
      HttpClient.withScope(client).execute,
      Effect.tap(Effect.fnUntraced(function*({ headers, status }) {
        if (status === 200) return
        const waitMs = status === 429 || status === 503
          ? retryAfterMs(headers["retry-after"], yield* Clock.currentTimeMillis, retryAfterMsMax)
          : null
        if (waitMs !== null) pause.untilMs = Math.max(pause.untilMs, (yield* monotonicMs) + waitMs)
        return yield* failed(reasonOf(status, waitMs))
      })),
      Effect.flatMap((response) => response.text),
      Effect.scoped,
      // Only the tag: the error holds the request, whose headers hold the key.
      Effect.mapError((error) =>
        error._tag === "EmbedderUnavailable"
          ? error
          : failed(new Reason.Unreachable({ cause: error.reason._tag }))),
      // No span, and no trace id in the request: trace ids do not leave the service.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
}

export const makeEmbeddingsClient = (
  client: HttpClient.HttpClient,
  options: EmbedderOptions,
  { retryAfterMsMax }: EmbedderSettings
): EmbeddingsClient => {
  const { dimensions, model } = options
  const pause: Pause = { untilMs: -Infinity }
  const post = postWith(client, options, pause, retryAfterMsMax)

  return {
    ask: Effect.fnUntraced(function*(texts, { sendsDimensions, withinMs }) {
      const leftMs = pause.untilMs - (yield* monotonicMs)
      if (leftMs > 0) {
        return yield* failed(new Reason.NotSent({ cause: new AskedToWait(), retryAfterMs: leftMs }))
      }
      const body = {
        model,
        input: texts,
        encoding_format: "float",
        ...(sendsDimensions ? { dimensions } : {})
      }
      const text = yield* post(body).pipe(
        deadline(withinMs, () => failed(new Reason.TimedOut({ limitMs: withinMs })))
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
