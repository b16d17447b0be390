/** HTTP connections to another service, with limits on their number, time and size. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Reason from "./FailureReason.ts"
import { retryAfterMs } from "./RetryAfter.ts"

interface TransportSettings {
  /** Maximum time to open a connection, in milliseconds. */
  readonly connectMs: number
  readonly answerBytesMax: number
  readonly connectionsMax: number
  /** Time for which an idle connection is kept, in milliseconds, unless the other side names another. */
  readonly keepAliveMs: number
}

/** Delays a request by a turn of the event loop, so that the last answer's connection is free for it. */
const inNextTurn = HttpClient.mapRequestEffect((request) => Effect.as(Effect.yieldNow, request))

/** Follows no redirects, and fails if an answer is larger than `answerBytesMax`. */
export const transport = (settings: TransportSettings): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, inNextTurn)).pipe(
    Layer.provide(NodeHttpClient.layerUndiciOptions({
      connections: settings.connectionsMax,
      keepAliveTimeout: settings.keepAliveMs,
      maxResponseSize: settings.answerBytesMax,
      connect: { timeout: settings.connectMs }
    }))
  )

/** Returns the `authorization` header for a key, or no header without a key. */
export const bearer = (apiKey: Option.Option<Redacted.Redacted<string>>): Readonly<Record<string, string>> =>
  Option.match(apiKey, {
    onNone: () => ({}),
    onSome: (key) => ({ authorization: `Bearer ${Redacted.value(key)}` })
  })

const statusesOfRequest: ReadonlyArray<number> = [400, 413, 422]

const reasonOf = (status: number, waitMs: number | null): Reason.FailureReason => {
  if (statusesOfRequest.includes(status)) return new Reason.Rejected({ cause: `status ${status}` })
  if (status === 401 || status === 403) return new Reason.Unauthorized({ cause: `status ${status}` })
  return new Reason.Unreachable({ status, ...(waitMs === null ? {} : { retryAfterMs: waitMs }) })
}

/**
 * Posts JSON, and yields the text of an answer with status 200. A failure quotes neither request nor answer.
 * If the text of an answer with status 200 cannot be read, the failure also has the status 200.
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
    // The error itself is dropped, because it contains the request with the key in a header.
    Effect.mapError((error) =>
      error._tag !== "HttpClientError" ? error : new Reason.Unreachable({
        cause: error.reason._tag, ...(error.response === undefined ? {} : { status: error.response.status })
      })),
    // The request gets no trace id, because trace ids must not leave the service.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
  )

/** Returns origin and path for logs, because the other parts of an address may be secret. */
export const endpointOf = (baseUrl: URL): string => `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, "")}`
