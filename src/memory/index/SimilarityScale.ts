/* Converts the cosines of different embedders to one scale. */
import type { Recalled } from "../Memory.ts"

/** Approximate mean cosine of unrelated texts with the built-in embedder, whose scale the engine expects. */
export const lexicalFloor = 0.1

/**
 * Converts a cosine linearly to the built-in embedder's scale, limited to [-1, 1]: 1 stays 1, and `floor`
 * becomes {@link lexicalFloor}.
 * @param floor mean cosine of unrelated texts with the embedder that made `cosine`, in [0, 1)
 */
export const onLexicalScale = (cosine: number, floor: number): number =>
  Math.max(-1, Math.min(1, lexicalFloor + (1 - lexicalFloor) * (cosine - floor) / (1 - floor)))

/** Converts all similarities of a recall to the built-in embedder's scale. */
export const rescaled = (recalled: Recalled, floor: number): Recalled => {
  const scale = (cosine: number) => onLexicalScale(cosine, floor)
  return {
    ...recalled,
    neighbours: recalled.neighbours.rescaled(scale),
    measurements: recalled.measurements.rescaled(scale)
  }
}
