/** HTTP connections to a service outside, bounded in number, time and size. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"

export interface TransportSettings {
  /** Longest wait for a connection, in milliseconds. */
  readonly connectMs: number
  /** Largest answer that is read, in bytes. */
  readonly answerBytesMax: number
  /** Most connections kept to the service, count. */
  readonly connectionsMax: number
  /** How long an idle connection is kept, in milliseconds. */
  readonly keepAliveMs: number
}

/**
 * A client whose requests wait for a turn of the event loop: a request that follows an answer at once would
 * open a connection, because that of the answer is not yet free.
 */
const inNextTurn = HttpClient.mapRequestEffect((request) => Effect.as(Effect.yieldNow, request))

/** A client that follows no redirects and fails on an answer over `answerBytesMax`. */
export const transport = (settings: TransportSettings): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, inNextTurn)).pipe(
    Layer.provide(NodeHttpClient.layerUndiciOptions({
      connections: settings.connectionsMax,
      keepAliveTimeout: settings.keepAliveMs,
      maxResponseSize: settings.answerBytesMax,
      connect: { timeout: settings.connectMs }
    }))
  )

/** Origin and path of an address: for logs and reports, because the rest of it may hold a secret. */
export const endpointOf = (baseUrl: URL): string => `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`
