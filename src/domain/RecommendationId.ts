/* Ids of recommendations: UUIDs of version 7, each of which holds the time of its decision. */
import { Clock, Context, Effect, Schema } from "effect"

// Both cases as classes: tests draw values of the pattern, which one with the flag `i` does not give.
const pattern =
  /^[\da-fA-F]{8}-[\da-fA-F]{4}-7[\da-fA-F]{3}-[89abAB][\da-fA-F]{3}-[\da-fA-F]{12}$/u

/** Of a text that is known to be an id: the schema's own maker would look at it again. */
const branded = (text: string): RecommendationId => text as RecommendationId

/** The id of a recommendation: a UUIDv7 in lower case, whose time is the decision's `createdAt`. */
export const RecommendationId = Schema.String.check(Schema.isPattern(pattern)).pipe(
  Schema.brand("RecommendationId")
)
export type RecommendationId = typeof RecommendationId.Type

/** The id as answers write it. */
export const SentId = Schema.String.annotate({ format: "uuid" })

/**
 * The id that a text from outside spells, in capitals or not; null for any other text. A text is read once,
 * at the door of the service: further inside, an id is one by its type.
 */
export const parse = (text: string): RecommendationId | null =>
  pattern.test(text) ? branded(text.toLowerCase()) : null

/** The id whose 32 hexadecimal digits, in lower case, are known. */
export const ofHex = (hex: string): RecommendationId =>
  branded(`${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`)

/**
 * UUIDv7 of a time and ten random bytes, of which 74 bits are kept. Ids of one millisecond are in no order.
 *
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

/** The time inside an id, to the millisecond; of an id that a caller made up, perhaps after the year 9999. */
export const timeOf = (recommendationId: RecommendationId): Date =>
  new Date(Number.parseInt(recommendationId.slice(0, 8) + recommendationId.slice(9, 13), 16))

/**
 * The time in a decision's id as PostgreSQL reads it. ISO 8601 writes a year after 9999, which a caller's id
 * may hold, with a sign and six digits: the statement that looks such an id up would fail.
 */
export const createdAtOf = (recommendationId: RecommendationId): string =>
  timeOf(recommendationId).toISOString().replace(/^\+0*/, "")

const randomSize = 10
/** Drawn from the system for many ids at once, since every draw costs as much as a hundred of these. */
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

/** Where the random half comes from, ten bytes at a time: the system, but for a simulation that repeats. */
export const Entropy = Context.Reference<() => Uint8Array>("sextant/domain/RecommendationId/Entropy", {
  defaultValue: () => drawSystem
})

/** A new id of a time. */
export const make = (epochMs: number, draw: () => Uint8Array = drawSystem): RecommendationId =>
  fromParts(epochMs, draw())

/** A new id of now, and the time in it, which the decision takes as its `createdAt`. */
export const next = Effect.gen(function*() {
  const createdAtMillis = yield* Clock.currentTimeMillis
  return { recommendationId: make(createdAtMillis, yield* Entropy), createdAtMillis }
})
