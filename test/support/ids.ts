/* Ids of recommendations for tests that rest on the order of decisions. */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"

let counted = 0

/** Ten bytes that rise from call to call, but for three random ones at their end. */
const risingBytes = (): Uint8Array => {
  const bytes = randomBytes(10).fill(0, 0, 3)
  bytes.writeUInt32BE(++counted, 3)
  return bytes
}

/** The next id. Unlike the service's ids, those of one millisecond rise in the order in which they are made. */
export const nextId = RecommendationId.next.pipe(
  Effect.provideService(RecommendationId.Entropy, risingBytes)
)
