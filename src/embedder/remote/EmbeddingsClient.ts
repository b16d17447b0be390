import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { deadline } from "../../resilience/Deadline.ts"
import { EmbedderUnavailable } from "../Embedder.ts"
import type { EmbedderSettings } from "../EmbedderSettings.ts"
import { AskedToWait, retryAfterMs } from "../../resilience/RetryAfter.ts"

/* One question over HTTP to an OpenAI-compatible `/embeddings`. */

export interface EmbedderOptions {
  /** Base URL, its version included: `https://api.example.com/v1`. */
  readonly url: URL
  readonly model: string
  /** Services on one's own machine often want none. */
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
  /** Length of its vectors. */
  readonly dimensions: number
}

/** Looked at as a whole: a schema for each of 50,000 numbers would take longer than the way there. */
const Numbers = Schema.declare(
  (value): value is ReadonlyArray<number> => Array.isArray(value) && value.every(Number.isFinite),
  { expected: "finite numbers" }
)

const Answer = Schema.fromJsonString(Schema.Struct({
  data: Schema.Array(Schema.Struct({ index: Schema.optionalKey(Schema.Int), embedding: Numbers }))
}))

const failed = (blames: EmbedderUnavailable["blames"]) => (cause: unknown) =>
  new EmbedderUnavailable({ cause, blames })

/** These blame what was sent. */
const refusals = [400, 413, 422]

/** As a unit vector; null when it is not of that length or points nowhere. */
const unitOf = (numbers: ReadonlyArray<number>, dimensions: number): Float32Array | null => {
  const norm = Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0))
  return numbers.length === dimensions && norm > 0 && Number.isFinite(norm)
    ? Float32Array.from(numbers, (each) => each / norm)
    : null
}

/** One vector for each text, in the texts' order, or null. */
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
   * Asks once. An answer that is not as many vectors of the right length, made of finite numbers, is none.
   * Failures say what kind they are and nothing that was sent or answered.
   */
  readonly ask: (
    texts: ReadonlyArray<string>,
    options: { readonly sendsDimensions: boolean; readonly withinMs: number }
  ) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderUnavailable>
}

export const makeEmbeddingsClient = (
  client: HttpClient.HttpClient,
  { apiKey, dimensions, model, url }: EmbedderOptions,
  { retryAfterMsMax }: EmbedderSettings
): EmbeddingsClient => {
  const address = `${url.href.replace(/\/+$/, "")}/embeddings`
  const headers = {
    accept: "application/json",
    ...Option.match(apiKey, {
      onNone: () => ({}),
      onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` })
    })
  }
  let untilMs = 0

  const post = (question: unknown) =>
    HttpClientRequest.post(address, { headers }).pipe(
      HttpClientRequest.bodyJsonUnsafe(question),
      HttpClient.withScope(client).execute,
      Effect.tap(Effect.fnUntraced(function*({ headers, status }) {
        if (status === 200) return
        const nowMs = yield* Clock.currentTimeMillis
        const waitMs = status === 429 || status === 503
          ? retryAfterMs(headers["retry-after"], nowMs, retryAfterMsMax)
          : null
        if (waitMs !== null) untilMs = Math.max(untilMs, nowMs + waitMs)
        return yield* failed(refusals.includes(status) ? "text" : "endpoint")(`it answered ${status}`)
      })),
      Effect.flatMap((response) => response.text),
      Effect.scoped,
      // The request, which the error holds, has the key among its headers.
      Effect.mapError((error) =>
        error._tag === "EmbedderUnavailable" ? error : failed("endpoint")(error.reason._tag)),
      // No span, and no trace id in the request: those are nobody else's business.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )

  return {
    ask: Effect.fnUntraced(function*(texts, { sendsDimensions, withinMs }) {
      if ((yield* Clock.currentTimeMillis) < untilMs) return yield* failed("nobody")(new AskedToWait())
      const question = {
        model,
        input: texts,
        encoding_format: "float",
        ...(sendsDimensions ? { dimensions } : {})
      }
      const text = yield* post(question).pipe(
        deadline(withinMs, () => failed("endpoint")(`no answer within ${withinMs} ms`))
      )
      const answer = yield* Schema.decodeEffect(Answer)(text).pipe(
        Effect.mapError(() => failed("endpoint")("not the protocol's answer"))
      )
      const vectors = vectorsOf(answer, texts.length, dimensions)
      return vectors ?? (yield* failed("endpoint")(`not ${texts.length} vectors of ${dimensions} numbers`))
    })
  }
}
