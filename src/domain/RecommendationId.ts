/* Ids of recommendations: UUIDs of version 7, which contain the time of the decision. */
import { Clock, Context, Effect, Schema } from "effect"

// Both cases are spelled out, because tests generate ids from the pattern and ignore the flag `i`.
const pattern =
  /^[\da-fA-F]{8}-[\da-fA-F]{4}-7[\da-fA-F]{3}-[89abAB][\da-fA-F]{3}-[\da-fA-F]{12}$/u

const branded = (text: string): RecommendationId => text as RecommendationId

export const RecommendationId = Schema.String.check(Schema.isPattern(pattern)).pipe(
  Schema.brand("RecommendationId")
)
export type RecommendationId = typeof RecommendationId.Type

export const SentId = Schema.String.annotate({ format: "uuid" })

/** Reads an id in upper or lower case; null for any other text. */
export const parse = (text: string): RecommendationId | null =>
  pattern.test(text) ? branded(text.toLowerCase()) : null

export const ofHex = (hex: string): RecommendationId =>
  branded(`${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`)

/**
 * Makes a UUIDv7 from a time and ten random bytes. Ids of the same millisecond have no order.
 * @param epochMs whole milliseconds since 1970, in [0, 2^48)
 * @see RFC 9562, section 5.7
 */
export const fromParts = (epochMs: number, random: Uint8Array): RecommendationId => {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(epochMs, 0, 6)
  bytes.set(random.subarray(0, 10), 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return ofHex(bytes.toString("hex"))
}

/** An id that a caller invented may hold a time after the year 9999. */
export const timeOf = (recommendationId: RecommendationId): Date =>
  new Date(Number.parseInt(recommendationId.slice(0, 8) + recommendationId.slice(9, 13), 16))

/** Writes the time for PostgreSQL, which would refuse ISO 8601's form of years after 9999. */
export const createdAtOf = (recommendationId: RecommendationId): string =>
  timeOf(recommendationId).toISOString().replace(/^\+0*/, "")

const randomSize = 10
/** Random bytes for 256 ids, because a call of the system's generator for each id would be slow. */
const drawn = new Uint8Array(randomSize * 256)
let used = drawn.length

const drawSystem = (): Uint8Array => {
  if (used === drawn.length) {
    crypto.getRandomValues(drawn)
    used = 0
  }
  used += randomSize
  return drawn.subarray(used - randomSize, used)
}

/** The source of random bytes, ten per call: the system, or a fixed sequence in a repeatable simulation. */
export const Entropy = Context.Reference<() => Uint8Array>("sextant/domain/RecommendationId/Entropy", {
  defaultValue: () => drawSystem
})

export const make = (epochMs: number, draw: () => Uint8Array = drawSystem): RecommendationId =>
  fromParts(epochMs, draw())

export const next = Effect.gen(function*() {
  const createdAtMillis = yield* Clock.currentTimeMillis
  return { recommendationId: make(createdAtMillis, yield* Entropy), createdAtMillis }
})
