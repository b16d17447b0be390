/** The bootstrap over blocks of rows. */
import { generator, normal } from "./Generator.ts"
import { normal975, normalBelow } from "./Normal.ts"

export interface Resamples {
  readonly replicates: number
  readonly blocks: number
  /** How often each replicate drew each block, at index `replicate * blocks + block`. */
  readonly times: Uint8Array
  readonly noise: Float64Array
}

/**
 * Draws blocks of rows with replacement. All compared policies use the same draws.
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

/** Returns the replicates at two shares of their sorted order; NaN if there are no replicates. */
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

/** Returns the limits of the middle 95 % of the replicates, low <= high; NaN if there are no replicates. */
export const percentile95 = (values: Float64Array): { readonly low: number; readonly high: number } =>
  percentiles(values, 0.025, 0.975)

/**
 * Computes the bias-corrected and accelerated 95 % interval.
 *
 * @param influence how far each block moves the estimate; if all influences are 0, the interval is the middle
 * 95 %
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
