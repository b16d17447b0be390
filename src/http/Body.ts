import { Context, Effect } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import {
  InvalidRequest, PayloadTooLarge, ServiceUnavailable, UnsupportedMediaType
} from "../api/Problems.ts"
import { ownTurn } from "../resilience/CooperativeYield.ts"
import type { Purpose } from "./limits/Admission.ts"
import { overloaded } from "./limits/Retry.ts"

/** Largest body that is read, in bytes. */
export const bodyBytesMax = 1_000_000

/** Deepest nesting of arrays and objects that is parsed. */
export const bodyDepthMax = 32

/** Most values in one body, count: arrays, objects, strings, numbers and literals; names are none. Chosen. */
export const bodyValuesMax = 20_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
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

/** What a body may hold: levels of arrays and objects, and values, counts. */
export interface BodyLimits {
  readonly depth: number
  readonly values: number
}

/**
 * The limit that a JSON document passes, or null. Looks at the raw bytes, because `JSON.parse` itself takes a
 * million levels or values and blocks for them. What stands inside strings does not count; malformed text is
 * for the parser. Stops at the first limit that is passed.
 */
export const passedLimit = (bytes: Uint8Array, { depth, values }: BodyLimits): keyof BodyLimits | null => {
  let level = 0
  // The document itself; then every comma begins another value, and so does a bracket that is not empty.
  let count = 1
  let isOpened = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (isSpace(byte)) continue
    if (isClosing(byte)) {
      level--
    } else {
      if (isOpened || byte === comma) count++
      if (count > values) return "values"
    }
    isOpened = isOpening(byte)
    if (byte === quote) i = endOfString(bytes, i + 1)
    else if (isOpened && ++level > depth) return "depth"
  }
  return null
}

const limitWords: Readonly<Record<keyof BodyLimits, string>> = {
  depth: `The body is nested deeper than ${bodyDepthMax} levels`,
  values: `The body holds more than ${bodyValuesMax} values`
}

/** Bytes from which on a body is parsed in a turn of its own: that takes about a millisecond. Chosen. */
const ownTurnBytes = 16_000

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Room in memory for the bodies of all requests together, in bytes. */
export interface BodyRoom {
  /** Takes so much of it, unless it is not there; whoever took it gives it back. */
  readonly take: (bytes: number, purpose: Purpose) => boolean
  readonly giveBack: (bytes: number) => void
}

/**
 * Room for `bytesMax`; a body that is larger than all of it has it for itself. `feedbackShare` of it is kept
 * for feedback: other bodies are refused, whatever their size, once the largest would reach into that share,
 * so that no state refuses a body of feedback and takes another.
 */
export const makeBodyRoom = (bytesMax: number, feedbackShare: number): BodyRoom => {
  const othersMax = bytesMax * (1 - feedbackShare)
  let taken = 0
  const hasRoom = (bytes: number, purpose: Purpose): boolean =>
    taken === 0 || (purpose === "feedback" ? taken + bytes <= bytesMax : taken + bodyBytesMax <= othersMax)
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

/** What a request with a body waits for once that has come: a slow sender must hold no one's turn. */
export const TurnOnceRead = Context.Reference<Effect.Effect<void>>("sextant/http/Body/TurnOnceRead", {
  defaultValue: () => Effect.void
})

const checkedText = (
  request: HttpServerRequest.HttpServerRequest,
  take: (bytes: number) => boolean
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
    yield* yield* TurnOnceRead
    if (bytes.length >= ownTurnBytes) yield* ownTurn
    const passed = passedLimit(bytes, { depth: bodyDepthMax, values: bodyValuesMax })
    if (passed !== null) return yield* new InvalidRequest({ detail: limitWords[passed] })
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
  take: (bytes: number) => boolean
): HttpServerRequest.HttpServerRequest => {
  const checked = request.modify({})
  Object.defineProperty(checked, "text", { value: checkedText(request, take) })
  return checked
}
