/** HTTP connections to a service outside, bounded in number, time and size. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Layer } from "effect"
import type { HttpClient } from "effect/http"

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

/** A client that follows no redirects and fails on an answer over `answerBytesMax`. */
export const transport = (settings: TransportSettings): Layer.Layer<HttpClient.HttpClient> =>
  NodeHttpClient.layerUndiciOptions({
    connections: settings.connectionsMax,
    keepAliveTimeout: settings.keepAliveMs,
    maxResponseSize: settings.answerBytesMax,
    connect: { timeout: settings.connectMs }
  })

/** Origin and path of an address: for logs and reports, because the rest of it may hold a secret. */
export const endpointOf = (baseUrl: URL): string => `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`
