/* The client of the hosted backend, which maps its failures to reasons of the port. */
import { Context, Effect, Layer, type Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Reason from "../../resilience/FailureReason.ts"
import { endpointOf, transport } from "../../resilience/HttpTransport.ts"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import type { MemoryUnavailable } from "../Memory.ts"
import { makeBackendCalls } from "../remote/MemoryBackend.ts"
import { type MubitSettings, mubitSettings } from "./MubitSettings.ts"

/** A POST of the body, or a GET without one. */
export interface MubitRequest {
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

/** One client of the hosted backend, which memory and keys share: the same connections, the same breaker. */
export class MubitClient extends Context.Service<MubitClient, {
  /** The backend's address without parts that may be secret. */
  readonly endpoint: string
  /** Asks with the caller's own key and reads the answer's text as `answer`; no failure quotes it. */
  readonly ask: <A>(
    key: Redacted.Redacted<string>,
    request: MubitRequest,
    answer: Schema.Codec<A, string>
  ) => Effect.Effect<A, MemoryUnavailable>
  /** Calls the listener with every key that the backend refuses, at once. */
  readonly onRefused: (listener: (key: Redacted.Redacted<string>) => void) => void
}>()("sextant/memory/mubit/MubitClient") {}

/** The answer had a status that promises nothing, or was not what its request asks for. */
class Unexpected extends Schema.TaggedError<Unexpected>()("Unexpected", {
  path: Schema.String,
  what: Schema.String
}) {
  override get message() {
    return `${this.path} answered ${this.what}`
  }
}

const make = Effect.fnUntraced(function*(baseUrl: URL, settings: MubitSettings) {
  const client = yield* HttpClient.HttpClient
  const backend = makeBackendCalls(settings.client)
  yield* gauged(meters.breakers({ [attribute.breaker]: "memory" }), backend.breakerState)
  const base = baseUrl.href.replace(/\/+$/, "")

  const answered = Effect.fnUntraced(function*<A>(
    key: Redacted.Redacted<string>,
    { body, path }: MubitRequest,
    answer: Schema.Codec<A, string>
  ) {
    const request = body === undefined
      ? HttpClientRequest.get(base + path)
      : HttpClientRequest.post(base + path).pipe(HttpClientRequest.bodyJsonUnsafe(body))
    const response = yield* client.execute(request.pipe(HttpClientRequest.bearerToken(key)))
    yield* backend.recordResponse(response)
    // Read whatever the status, so that the connection can be used again.
    const text = yield* response.text
    const { status } = response
    const isUnauthorized = status === 401 || status === 403
    if (isUnauthorized) return yield* new Reason.Unauthorized({ cause: `${path}: ${status}` })
    if (status < 200 || status >= 300) return yield* new Unexpected({ path, what: `${status}` })
    // A decoder's message quotes the answer, which may hold secrets.
    return yield* Schema.decodeEffect(answer)(text).pipe(
      Effect.mapError(() => new Unexpected({ path, what: "what cannot be read" }))
    )
  })

  return MubitClient.of({
    endpoint: endpointOf(baseUrl),
    onRefused: backend.onRefused,
    ask: (key, request, answer) => backend.call(key, answered(key, request, answer))
  })
})

/** The client of the backend at `baseUrl`; it follows no redirects and reads answers up to a size. */
export const layer = (baseUrl: URL, settings: MubitSettings = mubitSettings): Layer.Layer<MubitClient> =>
  Layer.effect(MubitClient, make(baseUrl, settings)).pipe(Layer.provide(transport(settings.client)))
