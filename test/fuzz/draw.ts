import { generator } from "../../src/stats/Generator.ts"

/** Draws for one input: the same seed and index give the same ones, whatever came before. */
export interface Draw {
  /** In [0, 1). */
  readonly uniform: () => number
  /** A whole number in [0, below). */
  readonly below: (below: number) => number
  readonly of: <A>(from: ReadonlyArray<A>) => A
  readonly chance: (probability: number) => boolean
}

/** Draws by a source of uniform numbers. */
export const drawBy = (uniform: () => number): Draw => {
  const below = (limit: number) => Math.floor(uniform() * limit)
  return {
    uniform,
    below,
    of: (from) => {
      const item = from[below(from.length)]
      if (item === undefined) throw new Error("nothing to draw from")
      return item
    },
    chance: (probability) => uniform() < probability
  }
}

export const drawOf = (seed: number, index: number): Draw =>
  drawBy(generator(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)))
