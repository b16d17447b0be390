/* Brings the cosines of different embedders to one scale. */
import type { Recalled } from "../Memory.ts"

/**
 * Mean cosine of unrelated texts under the built-in embedder. The engine's settings are on its scale.
 */
export const lexicalFloor = 0.1

/**
 * A cosine of another embedder on the built-in one's scale, in [-1, 1]: identical texts stay at 1, and
 * unrelated ones, whose mean cosine is `floor` in [0, 1), come to {@link lexicalFloor}.
 */
export const onLexicalScale = (cosine: number, floor: number): number =>
  Math.max(-1, Math.min(1, lexicalFloor + (1 - lexicalFloor) * (cosine - floor) / (1 - floor)))

/** A recall by an embedder with that floor, on the built-in embedder's scale. */
export const rescaled = (recalled: Recalled, floor: number): Recalled => {
  const scale = (cosine: number) => onLexicalScale(cosine, floor)
  return {
    ...recalled,
    neighbours: recalled.neighbours.rescaled(scale),
    measurements: recalled.measurements.rescaled(scale)
  }
}
