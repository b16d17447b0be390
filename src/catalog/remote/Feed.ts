/** Reads one public source of prices over HTTP. */
import { Effect, Option, Ref, Schema, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { exceededLimit } from "../../domain/text/JsonLimits.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import type { PriceRows } from "../PriceRows.ts"
import { parsers, type SourceName } from "../Sources.ts"

export class FeedFailed extends Reason.portError<FeedFailed>()("FeedFailed", { source: Schema.String }) {}

export type Feed = Effect.Effect<PriceRows, FeedFailed>

interface FeedOptions {
  readonly source: SourceName
  readonly url: string
  readonly timeoutMs: number
  /** Maximum size of a body, in bytes after decompression. */
  readonly bodyBytesMax: number
}

/** The last good answer with an `etag`, which is used again if the source answers with the status 304. */
interface Remembered {
  readonly etag: string
  readonly rows: PriceRows
}

const etagLengthMax = 256

/** Maximum nesting depth and maximum number of values of a body. Chosen. */
const limits = { depth: 32, values: 500_000 }

const readBody = <E>(stream: Stream.Stream<Uint8Array, E>, bytesMax: number, tooLarge: () => FeedFailed) =>
  Effect.gen(function*() {
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    yield* Stream.runForEach(stream, (chunk) => {
      bytes += chunk.byteLength
      if (bytes > bytesMax) return Effect.fail(tooLarge())
      chunks.push(chunk)
      return Effect.void
    })
    return Buffer.concat(chunks)
  })

/**
 * Reading a feed fails if the connection breaks, for unexpected statuses, and for an unusable or slow body.
 * Redirects are not followed, because they could lead to another host.
 */
export const makeFeed = Effect.fn("catalog.makeFeed")(function*(
  { source, url, timeoutMs, bodyBytesMax }: FeedOptions
): Effect.fn.Return<Feed, never, HttpClient.HttpClient> {
  const client = HttpClient.withScope(yield* HttpClient.HttpClient)
  const remembered = yield* Ref.make(Option.none<Remembered>())
  const failed = (reason: Reason.FailureReason) => new FeedFailed({ source, reason })
  const unusable = (cause: string) => failed(new Reason.Unusable({ cause }))

  const read = Effect.gen(function*() {
    const last = yield* Ref.get(remembered)
    const request = HttpClientRequest.get(url, {
      headers: {
        accept: "application/json",
        ...Option.match(last, { onNone: () => ({}), onSome: ({ etag }) => ({ "if-none-match": etag }) })
      }
    })
    const response = yield* client.execute(request)
    if (response.status === 304 && Option.isSome(last)) return last.value.rows
    if (response.status !== 200) return yield* failed(new Reason.Unreachable({ status: response.status }))
    const tooLarge = () => unusable(`more than ${bodyBytesMax} bytes`)
    const bytes = yield* readBody(response.stream, bodyBytesMax, tooLarge)
    if (exceededLimit(bytes, limits) !== null) return yield* unusable("too many values or levels")
    const body = yield* Effect.try({
      try: (): unknown => JSON.parse(bytes.toString("utf8")),
      catch: () => unusable("not JSON")
    })
    const rows = parsers[source](body)
    if (rows.size === 0) return yield* unusable("no valid row")
    const etag = response.headers["etag"]
    yield* Ref.set(
      remembered,
      etag === undefined || etag.length > etagLengthMax ? Option.none() : Option.some({ etag, rows })
    )
    return rows
  })

  return read.pipe(
    Effect.scoped,
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    // The request carries no trace id, because trace ids must not leave the service.
    Effect.provideService(HttpClient.TracerPropagationEnabled, false),
    Effect.mapError((error) =>
      error._tag === "FeedFailed" ? error : failed(new Reason.Unreachable({ cause: error }))),
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => Effect.fail(failed(new Reason.TimedOut({ limitMs: timeoutMs })))
    })
  )
})
