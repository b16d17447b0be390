import type { Recalled } from "../Memory.ts"

/**
 * What the built-in embedder gives texts that have nothing in common. The engine's numbers, and what a lane
 * has learned of its similarities, are on this scale.
 */
export const lexicalFloor = 0.1

/**
 * A cosine of another embedder on the built-in one's scale: alike texts stay at 1, unrelated ones, whose mean
 * cosine is `floor` in [0, 1), are at {@link lexicalFloor}. In [-1, 1].
 */
export const onLexicalScale = (cosine: number, floor: number): number =>
  Math.max(-1, Math.min(1, lexicalFloor + (1 - lexicalFloor) * (cosine - floor) / (1 - floor)))

/** What was recalled by vectors of an embedder with that floor, on the built-in one's scale. */
export const rescaled = (recalled: Recalled, floor: number): Recalled => {
  const { highSimilarity, laneSize, meanSimilarity, measurements, neighbours } = recalled
  // An empty lane has no similarities, which is said as 0.
  const scale = (cosine: number) => laneSize === 0 ? 0 : onLexicalScale(cosine, floor)
  return {
    ...recalled,
    neighbours: neighbours.map((each) => ({ ...each, similarity: scale(each.similarity) })),
    measurements: measurements.map((each) =>
      ({ ...each, similarity: onLexicalScale(each.similarity, floor) })),
    meanSimilarity: scale(meanSimilarity),
    highSimilarity: scale(highSimilarity)
  }
}
