/** HTTP connections to a service outside, bounded in number, time and size. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Reason from "./FailureReason.ts"
import { retryAfterMs } from "./RetryAfter.ts"

interface TransportSettings {
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

/** The header of a key, where there is one. */
export const bearer = (apiKey: Option.Option<Redacted.Redacted<string>>): Readonly<Record<string, string>> =>
  Option.match(apiKey, {
    onNone: () => ({}),
    onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` })
  })

/** Statuses that blame what was sent. */
const statusesOfRequest: ReadonlyArray<number> = [400, 413, 422]

/** The reason of a status other than 200. */
const reasonOf = (status: number, waitMs: number | null): Reason.FailureReason => {
  if (statusesOfRequest.includes(status)) return new Reason.Rejected({ cause: `status ${status}` })
  if (status === 401 || status === 403) return new Reason.Unauthorized({ cause: `status ${status}` })
  return new Reason.Unreachable({ status, ...(waitMs === null ? {} : { retryAfterMs: waitMs }) })
}

/**
 * Posts a body as JSON, and yields the text of an answer with status 200. A failure tells its kind, and
 * quotes neither request nor answer; one in the middle of an answer has the status 200.
 */
export const postJson = (
  client: HttpClient.HttpClient,
  baseUrl: URL,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: unknown
): Effect.Effect<string, Reason.FailureReason> =>
  HttpClientRequest.post(`${baseUrl.href.replace(/\/+$/, "")}${path}`, {
    headers: { ...headers, accept: "application/json" }
  }).pipe(
    HttpClientRequest.bodyJsonUnsafe(body),
    HttpClient.withScope(client).execute,
    Effect.tap(({ headers, status }) =>
      status === 200 ? Effect.void : Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.fail(reasonOf(status, retryAfterMs(headers["retry-after"], nowMs, Number.MAX_SAFE_INTEGER))))),
    Effect.flatMap((response) => response.text),
    Effect.scoped,
    // Only the tag: the error holds the request, whose headers hold the key.
    Effect.mapError((error) =>
      error._tag !== "HttpClientError" ? error : new Reason.Unreachable({
        cause: error.reason._tag, ...(error.response === undefined ? {} : { status: error.response.status })
      })),
    // No span, and no trace id in the request: trace ids do not leave the service.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
  )

/** Origin and path of an address: for logs and reports, because the rest of it may hold a secret. */
export const endpointOf = (baseUrl: URL): string => `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`
