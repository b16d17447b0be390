/** The sums per block of rows that the estimates of policies on a foreign log are made of. */

/** The columns of a block of one policy, which are resampled. */
export const column = {
  rows: 0,
  /** Rows on which the log could have shown the policy's pick. */
  support: 1,
  /** Expected success of the picks; weights of the labelled matches; weight times (success - expected). */
  success: 2,
  successWeight: 3,
  successResidual: 4,
  /** The same of cost, in US dollars, over the billed matches. */
  cost: 5,
  costWeight: 6,
  costResidual: 7
} as const
export const columns = 8

/** The columns of one policy that are only totals. */
export const total = {
  matched: 0,
  matchedLabelled: 1,
  matchedBilled: 2,
  successSquares: 3,
  costSquares: 4,
  /** On rows without support: expected success and cost of the picks, and the most that they may cost. */
  unsupportedSuccess: 5,
  unsupportedUsd: 6,
  unsupportedMostUsd: 7,
  /** Inverse shares of the supported matches, and the squares of their differences from 1. */
  habitWeight: 8,
  habitSquares: 9,
  /** Variances that the draw of the logged models gives the corrections, and the squares of these. */
  successDrawn: 10,
  successDrawnSquares: 11,
  costDrawn: 12,
  costDrawnSquares: 13,
  /** Rows on which the policy's pick is not the baseline's. */
  differing: 14,
  /** Variance of the sum of costs per squared relative deviation of a bill from what was expected of it. */
  costDrawnPerVariation: 15
} as const
export const totals = 16

/** More blocks resample no better: beyond them neighbours are merged. */
export const blocksMax = 256

/** Sums of all policies. */
export interface LogSums {
  readonly policies: number
  /** Blocks in use, at most 256. */
  readonly blocks: () => number
  /** Index `(block * policies + policy) * columns + column`. */
  readonly byBlock: Float64Array
  /** Index `policy * totals + total`. */
  readonly totals: Float64Array
  /** Where the sums of a policy in the row's block begin; a new block number begins a new block. */
  readonly baseOf: (block: number) => number
}

/** Adds the odd blocks to the even ones before them and closes the gaps. */
const merge = (byBlock: Float64Array, width: number): void => {
  for (let block = 0; block < blocksMax; block += 2) {
    const [from, to] = [block * width, block / 2 * width]
    for (let i = 0; i < width; i++) byBlock[to + i] = byBlock[from + i]! + byBlock[from + width + i]!
  }
  byBlock.fill(0, blocksMax / 2 * width)
}

/**
 * Sums that stay flat: once there are 256 blocks, each two neighbours become one, and from then on twice as
 * many of the caller's blocks make one.
 */
export const makeLogSums = (policies: number): LogSums => {
  const width = policies * columns
  const byBlock = new Float64Array(blocksMax * width)
  let [blocks, merged, given, last] = [0, 1, 0, NaN]
  return {
    policies,
    blocks: () => blocks,
    byBlock,
    totals: new Float64Array(policies * totals),
    baseOf: (block) => {
      if (block !== last) {
        last = block
        if (given % merged === 0) {
          if (blocks === blocksMax) {
            merge(byBlock, width)
            blocks = blocksMax / 2
            merged *= 2
          }
          blocks += 1
        }
        given += 1
      }
      return (blocks - 1) * width
    }
  }
}
