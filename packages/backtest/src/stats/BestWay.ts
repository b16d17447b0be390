/** Finds the cheapest way of choosing that succeeds about as often as the baseline. */
import { worth } from "../../../../src/stats/DoublyRobust.ts"
import { folds } from "../../../../src/stats/OutcomeLog.ts"
import { columns, type PolicySums } from "../../../../src/stats/PolicySums.ts"

/** A success rate counts as the same if it is at most this much below the baseline's. */
export const sameWithin = 0.01

export interface WaySums {
  readonly success: PolicySums
  readonly bills: PolicySums
}

/** Takes each block's sums from the policy that is chosen for the block; 0 for a block without a policy. */
const byBlock = (of: PolicySums, chosen: (block: number) => PolicySums | null): PolicySums => {
  const sums = new Float64Array(of.sums.length)
  for (let block = 0; block < of.blocks; block++) {
    const [from, to] = [block * columns, (block + 1) * columns]
    const own = chosen(block)
    if (own !== null) sums.set(own.sums.subarray(from, to), from)
  }
  return { ...of, sums }
}

/** Index of the cheapest policy that succeeds about as often as the baseline on some blocks, or -1. */
const cheapestOn = (
  ways: ReadonlyArray<WaySums>,
  baseline: WaySums,
  isOn: (block: number) => boolean
): number => {
  const valueOf = (sums: PolicySums): number =>
    worth(byBlock(sums, (block) => isOn(block) ? sums : null)).doublyRobust ?? NaN
  const least = valueOf(baseline.success) - sameWithin
  const good = ways.map(({ bills, success }) => valueOf(success) >= least ? valueOf(bills) : Infinity)
  const best = good.indexOf(Math.min(...good))
  return Number.isFinite(good[best]) ? best : -1
}

/**
 * Finds, over all rows, the cheapest policy that succeeds about as often as the baseline; null if none does.
 * `sums` are cross-validated: for each fifth of the blocks, they are of the policy that is best on the other
 * four fifths, or of the baseline if no policy succeeds about as often there.
 * @see Chernozhukov and others, Double/debiased machine learning (2018)
 */
export const bestWayOf = (
  ways: ReadonlyArray<WaySums>,
  baseline: WaySums
): { readonly way: number; readonly sums: WaySums } | null => {
  const way = cheapestOn(ways, baseline, () => true)
  if (way < 0) return null
  const chosen = Array.from({ length: folds }, (_, fold) =>
    ways[cheapestOn(ways, baseline, (block) => block % folds !== fold)] ?? baseline)
  return {
    way,
    sums: {
      success: byBlock(baseline.success, (block) => chosen[block % folds]!.success),
      bills: byBlock(baseline.bills, (block) => chosen[block % folds]!.bills)
    }
  }
}
