/** The sums of one policy on a foreign log, by name. */
import { column, columns, type LogSums, total, totals } from "./LogSums.ts"

/** The variance of a mean on given rows, over which models were drawn, and its degrees of freedom. */
export interface Drawn {
  readonly variance: number
  readonly degrees: number
}

/** The sums of one policy by name. */
export interface Summed {
  readonly rows: number
  readonly support: number
  readonly direct: number
  readonly matched: number
  readonly matchedLabelled: number
  readonly matchedBilled: number
  /** Kish's effective sample sizes. */
  readonly ofSuccess: number
  readonly ofCost: number
  readonly habitFit: number
  /** Standard error of `habitFit` if it were 1. */
  readonly habitError: number
  /** Blocks with a labelled and billed match. */
  readonly blocks: number
  /** Rows on which its pick is not the baseline's. */
  readonly differing: number
  /** What the draw of the logged models leaves unknown of the mean on these very rows. */
  readonly drawn: { readonly success: Drawn; readonly costUsd: Drawn }
  /**
   * How many times more than its own bills show a policy's cost may vary, at least 1: the bills of all models
   * show how large they get, and few that look alike by chance do not show that none is large.
   */
  readonly unseenBills: number
  /** What unsupported rows may take from and add to the means. */
  readonly slack: {
    readonly success: { readonly below: number; readonly above: number }
    readonly costUsd: { readonly below: number; readonly above: number }
  }
}

const kish = (weight: number, squares: number): number => squares > 0 ? weight * weight / squares : 0

/** Of a sum of variances over rows: few degrees of freedom where some rows have most of it. */
const drawnOf = (sum: number, squares: number, rows: number): Drawn => ({
  variance: sum / rows ** 2,
  degrees: squares > 0 ? 2 * sum * sum / squares : Infinity
})

const unseenOf = (shown: number, expected: number): number =>
  shown > 0 ? Math.sqrt(Math.max(1, expected / shown)) : 1

export const summedOf = (sums: LogSums, whole: Float64Array, policy: number, variation: number): Summed => {
  const of = (at: number): number => whole[policy * columns + at]!
  const totalOf = (at: number): number => sums.totals[policy * totals + at]!
  const [rows, support] = [of(column.rows), of(column.support)]
  const per = Math.max(1, rows)
  let blocks = 0
  for (let block = 0; block < sums.blocks(); block++) {
    const base = (block * sums.policies + policy) * columns
    const isLabelled = sums.byBlock[base + column.successWeight]! > 0
    if (isLabelled && sums.byBlock[base + column.costWeight]! > 0) blocks += 1
  }
  const unsupported = totalOf(total.unsupportedSuccess) / per
  const unsupportedUsd = totalOf(total.unsupportedUsd) / per
  return {
    rows,
    support,
    direct: of(column.cost),
    matched: totalOf(total.matched),
    matchedLabelled: totalOf(total.matchedLabelled),
    matchedBilled: totalOf(total.matchedBilled),
    ofSuccess: kish(of(column.successWeight), totalOf(total.successSquares)),
    ofCost: kish(of(column.costWeight), totalOf(total.costSquares)),
    habitFit: totalOf(total.habitWeight) / Math.max(1, support),
    habitError: Math.sqrt(totalOf(total.habitSquares)) / Math.max(1, support),
    blocks,
    differing: totalOf(total.differing),
    drawn: {
      success: drawnOf(totalOf(total.successDrawn), totalOf(total.successDrawnSquares), per),
      costUsd: drawnOf(totalOf(total.costDrawn), totalOf(total.costDrawnSquares), per)
    },
    unseenBills: unseenOf(
      totalOf(total.costDrawn), variation * totalOf(total.costDrawnPerVariation)
    ),
    slack: {
      success: { below: unsupported, above: (rows - support) / per - unsupported },
      costUsd: { below: unsupportedUsd, above: totalOf(total.unsupportedMostUsd) / per - unsupportedUsd }
    }
  }
}
