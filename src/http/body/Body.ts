/* Limits the bytes, nesting and values of each request's body, and the memory of all bodies together. */
import { Context, Effect } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { gunzip } from "node:zlib"
import {
  InvalidRequest, PayloadTooLarge, ServiceUnavailable, UnsupportedMediaType
} from "../../api/Problems.ts"
import { exceededLimit, type JsonLimits } from "../../domain/text/JsonLimits.ts"
import { ownTurn } from "../../resilience/CooperativeYield.ts"
import type { Purpose } from "../limits/Admission.ts"
import { overloaded } from "../limits/Retry.ts"

/** Maximum size of a body that is read, bytes. */
export const bodyBytesMax = 1_000_000

/** Maximum nesting of arrays and objects in a body that is read as text. */
const bodyDepthMax = 32

/** Maximum number of values in a body that is read as text, arrays and objects included. Chosen. */
const bodyValuesMax = 20_000

const limitDetails: Readonly<Record<keyof JsonLimits, string>> = {
  depth: `The body is nested deeper than ${bodyDepthMax} levels`,
  values: `The body holds more than ${bodyValuesMax} values`
}

/** Size, bytes, from which a body is decoded in its own turn of the event loop. Chosen. */
const ownTurnBytes = 16_000

const decoder = new TextDecoder("utf-8", { fatal: true })

interface BodyRoom {
  /** Reserves bytes, or returns false without room. The caller must free the bytes after the answer. */
  readonly take: (bytes: number, purpose: Purpose) => boolean
  readonly giveBack: (bytes: number) => void
}

const smallBytes = ownTurnBytes

/**
 * Limits the memory of all bodies to `bytesMax`. While no body is in memory, any body is accepted. Bodies
 * that are no feedback must leave the share `feedbackShare` free. Large bodies that are no feedback need
 * `bodyBytesMax` free bytes, so that small ones find room. Feedback is accepted whenever reads are.
 */
export const makeBodyRoom = (bytesMax: number, feedbackShare: number): BodyRoom => {
  const othersMax = bytesMax * (1 - feedbackShare)
  let taken = 0
  const hasOthersRoom = (bytes: number): boolean =>
    taken + (bytes <= smallBytes ? smallBytes : bodyBytesMax) <= othersMax && taken + bodyBytesMax <= bytesMax
  const hasRoom = (bytes: number, purpose: Purpose): boolean =>
    taken === 0 || (purpose === "feedback" ? taken + bytes <= bytesMax : hasOthersRoom(bytes))
  return {
    take: (bytes, purpose) => {
      if (!hasRoom(bytes, purpose)) return false
      taken += bytes
      return true
    },
    giveBack: (bytes) => {
      taken -= bytes
    }
  }
}

/** Waits for the request's turn after its body was read, because a slow client must not occupy a turn. */
export const TurnAfterBody = Context.Reference<Effect.Effect<void>>("sextant/http/Body/TurnOnceRead", {
  defaultValue: () => Effect.void
})

type BodyFailure =
  | HttpServerError.HttpServerError
  | InvalidRequest
  | PayloadTooLarge
  | ServiceUnavailable
  | UnsupportedMediaType

/**
 * Reads a body of declared length by Node's events, which is faster than Effect's reader. Effect's reader
 * reads, for example, bodies without a declared length, and bodies that end early.
 */
const bytesOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Uint8Array, BodyFailure> => {
  const { headers, source } = request
  const byReader = Effect.suspend(() => Effect.map(request.arrayBuffer, (buffer) => new Uint8Array(buffer)))
  const isPlain = source instanceof IncomingMessage && !source.readableDidRead && !source.destroyed
    && headers["content-length"] !== undefined && headers["expect"] === undefined
  return !isPlain ? byReader : Effect.callback((resume) => {
    const chunks: Array<Uint8Array> = []
    const onData = (chunk: Uint8Array) => void chunks.push(chunk)
    const onEnd = () => {
      const [first = new Uint8Array()] = chunks
      resume(Effect.succeed(chunks.length > 1 ? Buffer.concat(chunks) : first))
    }
    const onCut = () => resume(byReader)
    source.on("data", onData).once("end", onEnd).once("error", onCut).once("close", onCut)
    return Effect.sync(() => {
      source.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut)
    })
  })
}

const textOf = (bytes: Uint8Array): Effect.Effect<string, InvalidRequest> => {
  const passed = exceededLimit(bytes, { depth: bodyDepthMax, values: bodyValuesMax })
  if (passed !== null) return Effect.fail(new InvalidRequest({ detail: limitDetails[passed] }))
  try {
    return Effect.succeed(decoder.decode(bytes))
  } catch {
    return Effect.fail(new InvalidRequest({ detail: "The body is not valid UTF-8" }))
  }
}

const checkedBody = <A>(
  request: HttpServerRequest.HttpServerRequest,
  take: (bytes: number) => boolean,
  encodings: ReadonlyArray<string>,
  read: (bytes: Uint8Array, encoding: string) => Effect.Effect<A, BodyFailure>
): Effect.Effect<A, BodyFailure> =>
  Effect.withFiber((fiber) => {
    const { headers } = request
    const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
    if (!encodings.includes(encoding)) {
      return Effect.fail(
        new UnsupportedMediaType({ detail: `Content encoding ${encoding} is not supported` })
      )
    }
    const length = Number(headers["content-length"] ?? NaN)
    if (length > bodyBytesMax) {
      return Effect.fail(new PayloadTooLarge({ detail: `The body may hold at most ${bodyBytesMax} bytes` }))
    }
    // A body without a declared length reserves as much as the largest allowed body.
    if (!take(Number.isNaN(length) ? bodyBytesMax : length)) {
      return Effect.fail(new ServiceUnavailable({ detail: overloaded }))
    }
    const turn = fiber.getRef(TurnAfterBody)
    return Effect.flatMap(bytesOf(request), (bytes) => {
      const value = Effect.suspend(() => read(bytes, encoding))
      return Effect.andThen(turn, bytes.length < ownTurnBytes ? value : Effect.andThen(ownTurn, value))
    })
  })

const unpackedBytesMax = 4 * bodyBytesMax

const unpacked = (bytes: Uint8Array): Effect.Effect<Uint8Array, InvalidRequest | PayloadTooLarge> =>
  Effect.callback((resume) => {
    gunzip(bytes, { maxOutputLength: unpackedBytesMax }, (error, plain) => {
      if (error === null) resume(Effect.succeed(plain))
      else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
        const detail = `The body may hold at most ${unpackedBytesMax} bytes when it is unpacked`
        resume(Effect.fail(new PayloadTooLarge({ detail })))
      } else resume(Effect.fail(new InvalidRequest({ detail: "The body is not packed by gzip" })))
    })
  })

/** Reads a body and decompresses gzip; reserves room also for the bytes that decompression adds. */
const unpackedBytes = (
  request: HttpServerRequest.HttpServerRequest,
  take: (bytes: number) => boolean
): Effect.Effect<Uint8Array, BodyFailure> =>
  checkedBody(request, take, ["identity", "gzip"], (sent, encoding) =>
    encoding === "identity" ? Effect.succeed(sent) : Effect.flatMap(unpacked(sent), (bytes) =>
      take(Math.max(0, bytes.length - sent.length))
        ? Effect.as(ownTurn, bytes)
        : Effect.fail(new ServiceUnavailable({ detail: overloaded }))))

type CheckedRequest = HttpServerRequest.HttpServerRequest & {
  readonly unpackedBytes: Effect.Effect<Uint8Array, BodyFailure>
}

export const bodyBytesOf = (request: HttpServerRequest.HttpServerRequest) =>
  // The middleware in `Limits.ts` has already wrapped every request by `withCheckedBody`.
  (request as CheckedRequest).unpackedBytes

/**
 * Wraps a request so that its `text` reserves room with `take` and checks the body's size, encoding, nesting,
 * values and UTF-8. Room is taken only when `text` is read, so the body of a refused request takes no room.
 */
export const withCheckedBody = (
  request: HttpServerRequest.HttpServerRequest,
  take: (bytes: number) => boolean
): HttpServerRequest.HttpServerRequest => {
  const checked = request.modify({ headers: request.headers })
  return Object.defineProperties(checked, {
    text: { value: checkedBody(request, take, ["identity"], textOf) },
    unpackedBytes: { get: () => unpackedBytes(request, take) }
  })
}
