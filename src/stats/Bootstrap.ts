/** The bootstrap over blocks of rows. */
import { generator, normal } from "./Generator.ts"

/** Draws of each block in each replicate, counts, and a standard normal draw per replicate. */
export interface Resamples {
  readonly replicates: number
  readonly blocks: number
  /** Index `replicate * blocks + block`. */
  readonly times: Uint8Array
  readonly noise: Float64Array
}

/**
 * The bootstrap over blocks of rows, the same draws for everything that is compared. With a block per row it
 * is the bootstrap over rows. The seed makes a report repeatable.
 *
 * @see Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 6
 */
export const resample = (blocks: number, replicates = 1000, seed = 1): Resamples => {
  const uniform = generator(seed)
  const times = new Uint8Array(replicates * blocks)
  const noise = new Float64Array(replicates)
  for (let replicate = 0; replicate < replicates; replicate++) {
    noise[replicate] = normal(uniform)
    for (let i = 0; i < blocks; i++) {
      times[replicate * blocks + Math.floor(uniform() * blocks)]! += 1
    }
  }
  return { replicates, blocks, times, noise }
}

/** The middle 95 % of the replicates, low <= high; NaN for none. */
export const percentile95 = (values: Float64Array): { readonly low: number; readonly high: number } => {
  const sorted = values.toSorted()
  const at = (share: number) => {
    const position = share * (sorted.length - 1)
    const below = Math.floor(position)
    const [low = NaN, high = low] = [sorted[below], sorted[below + 1]]
    return low + (position - below) * (high - low)
  }
  return { low: at(0.025), high: at(0.975) }
}
