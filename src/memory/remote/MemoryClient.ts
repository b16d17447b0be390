/** The HTTP client of a remote memory with the protocol `MemoryApi`. */
import { Context, Effect, Layer, type Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { MemoryApi } from "../../api/memory/MemoryApi.ts"
import { endpointOf, transport } from "../../resilience/HttpTransport.ts"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import type { MemoryUnavailable } from "../Memory.ts"
import {
  CurrentRequest, makeBackendCalls, type MemoryClientSettings, memoryClientSettings
} from "./MemoryBackend.ts"

export type MemoryApiClient = HttpApiClient.ForApi<typeof MemoryApi>

/** Memory and keys share the client's connections and its circuit breaker. */
export class MemoryClient extends Context.Service<MemoryClient, {
  /** The backend's address without its secret parts. */
  readonly endpoint: string
  /** Makes a request with the caller's API key. */
  readonly ask: <A, E>(
    key: Redacted.Redacted<string>,
    request: (api: MemoryApiClient) => Effect.Effect<A, E>
  ) => Effect.Effect<A, MemoryUnavailable>
  /** Registers a listener that is called with every refused key. */
  readonly onRefused: (listener: (key: Redacted.Redacted<string>) => void) => void
}>()("sextant/memory/remote/MemoryClient") {}

const make = Effect.fnUntraced(function*(baseUrl: URL, settings: MemoryClientSettings) {
  const { breakerState, call, onRefused, recordResponse } = makeBackendCalls(settings)
  yield* gauged(meters.breakers({ [attribute.breaker]: "memory" }), breakerState)
  const base = baseUrl.href.replace(/\/+$/, "")
  const api = yield* HttpApiClient.make(MemoryApi, {
    transformClient: (client) =>
      client.pipe(
        HttpClient.mapRequestEffect((request) =>
          Effect.map(Effect.service(CurrentRequest), ({ key }) =>
            request.pipe(HttpClientRequest.prependUrl(base), HttpClientRequest.bearerToken(key)))),
        HttpClient.tap(recordResponse)
      )
  })
  return MemoryClient.of({
    endpoint: endpointOf(baseUrl),
    onRefused,
    ask: (key, request) => call(key, request(api))
  })
})

/** The client follows no redirects, and limits the size of answers. */
export const layer = (
  baseUrl: URL,
  settings: MemoryClientSettings = memoryClientSettings
): Layer.Layer<MemoryClient> =>
  Layer.effect(MemoryClient, make(baseUrl, settings)).pipe(Layer.provide(transport(settings)))
