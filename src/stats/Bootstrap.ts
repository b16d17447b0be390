/** The bootstrap over blocks of rows. */
import { generator, normal } from "./Generator.ts"
import { normal975, normalBelow } from "./Normal.ts"

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

/** The part of the replicates between two shares of them, low <= high; NaN for none. */
const percentiles = (
  values: Float64Array,
  below: number,
  above: number
): { readonly low: number; readonly high: number } => {
  const sorted = values.toSorted()
  const at = (share: number) => {
    const position = share * (sorted.length - 1)
    const index = Math.floor(position)
    const [low = NaN, high = low] = [sorted[index], sorted[index + 1]]
    return low + (position - index) * (high - low)
  }
  return { low: at(below), high: at(above) }
}

/** The middle 95 % of the replicates, low <= high; NaN for none. */
export const percentile95 = (values: Float64Array): { readonly low: number; readonly high: number } =>
  percentiles(values, 0.025, 0.975)

/**
 * The 95 % of the replicates for an estimate whose influences are skewed: shifted to the side of their long
 * tail, where a sample has more often too little than too much. Bias-corrected and accelerated, with the bias
 * that a mean of such influences has.
 *
 * @param influence how far each block moves the estimate; 0 in all gives the middle
 * @see Efron, Better bootstrap confidence intervals (1987)
 */
export const accelerated95 = (
  values: Float64Array,
  influence: Float64Array
): { readonly low: number; readonly high: number } => {
  let [squares, cubes] = [0, 0]
  for (const each of influence) {
    squares += each * each
    cubes += each ** 3
  }
  const acceleration = squares > 0 ? cubes / (6 * squares ** 1.5) : 0
  const shareAt = (z: number): number => {
    const shifted = acceleration + z
    return normalBelow(acceleration + shifted / (1 - acceleration * shifted))
  }
  return percentiles(values, shareAt(-normal975), shareAt(normal975))
}
