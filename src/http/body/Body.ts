/* Bounds the bodies of requests: the bytes, nesting and values of each, and the memory of all together. */
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

/** Largest body that is read, bytes. */
export const bodyBytesMax = 1_000_000

/** Deepest nesting of arrays and objects that is parsed, count. */
const bodyDepthMax = 32

/** Most arrays, objects, strings, numbers and literals in one body; names do not count. Chosen. */
const bodyValuesMax = 20_000

const limitDetails: Readonly<Record<keyof JsonLimits, string>> = {
  depth: `The body is nested deeper than ${bodyDepthMax} levels`,
  values: `The body holds more than ${bodyValuesMax} values`
}

/** Bytes from which a body gets a separate turn of the event loop, because it takes about 1 ms. Chosen. */
const ownTurnBytes = 16_000

const decoder = new TextDecoder("utf-8", { fatal: true })

/** The memory for the bodies of all requests together, bytes. */
interface BodyRoom {
  /** Reserves bytes, and returns false if there is no room. The caller gives them back after the answer. */
  readonly take: (bytes: number, purpose: Purpose) => boolean
  readonly giveBack: (bytes: number) => void
}

/** Bytes up to which a body is small. Nearly every task is. Chosen. */
const smallBytes = ownTurnBytes

/**
 * Makes room for `bytesMax` of bodies. A larger body is accepted while it is the only one. `feedbackShare` of
 * the room is reserved for feedback. A large body is refused if the largest allowed body would not fit into
 * the rest. A small body is refused only if a small one would not fit, so that slow large bodies do not keep
 * small ones out. Feedback is never refused while another body is accepted.
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

/** Waits for the request's turn after its body was read, because a slow client must not hold a turn. */
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
 * Reads the bytes of a body. A body of a declared length, which Node's parser enforces, is collected from the
 * events of Node's request. That takes a third of the time of Effect's reader, which reads all other bodies
 * and reports a body that ends early.
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

/** Decodes the text of a body, or fails if the body exceeds a limit. */
const textOf = (bytes: Uint8Array): Effect.Effect<string, InvalidRequest> => {
  const passed = exceededLimit(bytes, { depth: bodyDepthMax, values: bodyValuesMax })
  if (passed !== null) return Effect.fail(new InvalidRequest({ detail: limitDetails[passed] }))
  try {
    return Effect.succeed(decoder.decode(bytes))
  } catch {
    return Effect.fail(new InvalidRequest({ detail: "The body is not valid UTF-8" }))
  }
}

/** Reserves room for a body in one of these encodings, reads its bytes, and decodes them in its turn. */
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
    // A body without a declared length counts as the largest allowed body.
    if (!take(Number.isNaN(length) ? bodyBytesMax : length)) {
      return Effect.fail(new ServiceUnavailable({ detail: overloaded }))
    }
    const turn = fiber.getRef(TurnAfterBody)
    return Effect.flatMap(bytesOf(request), (bytes) => {
      const value = Effect.suspend(() => read(bytes, encoding))
      return Effect.andThen(turn, bytes.length < ownTurnBytes ? value : Effect.andThen(ownTurn, value))
    })
  })

/** Most bytes of an unpacked body. Telemetry shrinks to a fifth or less. Chosen. */
const unpackedBytesMax = 4 * bodyBytesMax

/** Unpacks gzip. */
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

/** Reads a body and unpacks gzip. The unpacked bytes need room, too. */
const unpackedBytes = (
  request: HttpServerRequest.HttpServerRequest,
  take: (bytes: number) => boolean
): Effect.Effect<Uint8Array, BodyFailure> =>
  checkedBody(request, take, ["identity", "gzip"], (sent, encoding) =>
    encoding === "identity" ? Effect.succeed(sent) : Effect.flatMap(unpacked(sent), (bytes) =>
      take(Math.max(0, bytes.length - sent.length))
        ? Effect.as(ownTurn, bytes)
        : Effect.fail(new ServiceUnavailable({ detail: overloaded }))))

/** A request whose body was wrapped by {@link withCheckedBody}. */
type CheckedRequest = HttpServerRequest.HttpServerRequest & {
  readonly unpackedBytes: Effect.Effect<Uint8Array, BodyFailure>
}

/** Reads the bytes of a body that may be packed or not JSON. */
export const bodyBytesOf = (request: HttpServerRequest.HttpServerRequest) =>
  // Every request has passed `withCheckedBody`.
  (request as CheckedRequest).unpackedBytes

/**
 * Wraps a request so that its `text` reserves room by `take` and checks the body's size, encoding, depth and
 * UTF-8. Nothing is read before: the body of a request with a wrong key takes no room. The middleware of all
 * routes renders a failed read, because every error here carries its own response.
 */
export const withCheckedBody = (
  request: HttpServerRequest.HttpServerRequest,
  take: (bytes: number) => boolean
): HttpServerRequest.HttpServerRequest => {
  // Both requests share headers that are read once.
  const checked = request.modify({ headers: request.headers })
  return Object.defineProperties(checked, {
    text: { value: checkedBody(request, take, ["identity"], textOf) },
    unpackedBytes: { get: () => unpackedBytes(request, take) }
  })
}
