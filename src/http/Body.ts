import { Effect } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import {
  InvalidRequest, PayloadTooLarge, ServiceUnavailable, UnsupportedMediaType
} from "../api/Problems.ts"
import { overloaded } from "./Retry.ts"

/** Largest body that is read, in bytes. */
export const bodyBytesMax = 1_000_000

/** Deepest nesting of arrays and objects that is parsed. */
export const bodyDepthMax = 32

const quote = 0x22
const backslash = 0x5c
const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d

/** Index of the quote that ends the string whose first character is at `start`; the end when none does. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  for (let end = bytes.indexOf(quote, start); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let before = end
    while (before > start && bytes[before - 1] === backslash) before--
    // An odd run of backslashes escapes the quote. Each backslash is counted for one quote: linear in all.
    if ((end - before) % 2 === 0) return end
  }
  return bytes.length
}

/**
 * Whether arrays and objects nest deeper than `limit`. Looks at the raw bytes, because `JSON.parse` itself
 * takes a million levels and blocks for them. Brackets inside strings do not count; malformed text is for the
 * parser.
 */
export const isDeeperThan = (bytes: Uint8Array, limit: number): boolean => {
  let depth = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte === quote) i = endOfString(bytes, i + 1)
    else if (isOpening(byte)) {
      depth++
      if (depth > limit) return true
    } else if (isClosing(byte)) depth--
  }
  return false
}

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Room in memory for the bodies of all requests together, in bytes. */
export interface BodyRoom {
  /** Takes so much of it, unless it is not there; whoever took it gives it back. */
  readonly take: (bytes: number) => boolean
  readonly giveBack: (bytes: number) => void
}

/** Room for `bytesMax`; a body that is larger than all of it has it for itself. */
export const makeBodyRoom = (bytesMax: number): BodyRoom => {
  let taken = 0
  return {
    take: (bytes) => {
      if (taken > 0 && taken + bytes > bytesMax) return false
      taken += bytes
      return true
    },
    giveBack: (bytes) => {
      taken -= bytes
    }
  }
}

const checkedText = (
  request: HttpServerRequest.HttpServerRequest,
  take: BodyRoom["take"]
): Effect.Effect<
  string,
  | HttpServerError.HttpServerError
  | InvalidRequest
  | PayloadTooLarge
  | ServiceUnavailable
  | UnsupportedMediaType
> =>
  Effect.gen(function*() {
    const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
    if (encoding !== "identity") {
      return yield* new UnsupportedMediaType({ detail: `Content encoding ${encoding} is not supported` })
    }
    const length = Number(request.headers["content-length"] ?? NaN)
    if (length > bodyBytesMax) {
      return yield* new PayloadTooLarge({ detail: `The body may hold at most ${bodyBytesMax} bytes` })
    }
    // One that does not say its length may have any.
    if (!take(Number.isNaN(length) ? bodyBytesMax : length)) {
      return yield* new ServiceUnavailable({ detail: overloaded })
    }
    const bytes = new Uint8Array(yield* request.arrayBuffer)
    if (isDeeperThan(bytes, bodyDepthMax)) {
      return yield* new InvalidRequest({ detail: `The body is nested deeper than ${bodyDepthMax} levels` })
    }
    return yield* Effect.try({
      try: () => decoder.decode(bytes),
      catch: () => new InvalidRequest({ detail: "The body is not valid UTF-8" })
    })
  })

/**
 * The request with its body's `text` checked for size, encoding, depth and UTF-8 before anything parses it,
 * and `take` asked for room first. It stays lazy: a request that is refused for its key is never read and
 * takes no room. HttpApi turns a failing read into a defect, which the problem middleware renders, since
 * every refusal here knows its own response.
 */
export const withCheckedBody = (
  request: HttpServerRequest.HttpServerRequest,
  take: BodyRoom["take"]
): HttpServerRequest.HttpServerRequest => {
  const checked = request.modify({})
  Object.defineProperty(checked, "text", { value: checkedText(request, take) })
  return checked
}
