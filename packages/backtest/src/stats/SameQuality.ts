/** The saving at the baseline's success, along the plane of success and cost that ways of choosing span. */
import type { Resamples } from "../../../../src/stats/Bootstrap.ts"
import { drawnReach, type Estimate, unseen } from "./LogEstimates.ts"
import { reachOf, type Replicated } from "./LogIntervals.ts"
import type { Summed } from "./LogSummary.ts"
import { along, cheapestAt, highestSuccess, type Mixture, type SuccessPlane } from "./SuccessPlane.ts"

/** Success that is lower by at most so much, of 1, counts as the same. */
export const sameWithin = 0.01

/** Parts that the blocks are dealt into: a mixture is chosen on all but one and judged on that one. */
const folds = 5

/** What a log says of the saving at the baseline's success. */
export interface SameQuality {
  /** The cheapest mixture of policies that is as good by all rows, and the share of the baseline's cost that
   * it saves; null where none is as good. */
  readonly best: { readonly mixture: Mixture; readonly saving: Estimate } | null
}

/** Success and cost of one policy in every resample, and its sums. */
interface Outcomes {
  readonly success: Replicated
  readonly cost: Replicated
  readonly summed: Summed
}

/** The figure of each way, and how far each block moves it. */
interface Moved {
  readonly values: Float64Array
  readonly influences: ReadonlyArray<Float64Array>
}

/** The figures without one fold, to first order. */
const without = ({ influences, values }: Moved, fold: number): Float64Array =>
  values.map((value, way) => {
    const influence = influences[way]!
    let [moved, blocks] = [0, 0]
    for (let block = fold; block < influence.length; block += folds) {
      moved += influence[block]!
      blocks += 1
    }
    return value - influence.length / Math.max(1, influence.length - blocks) * moved
  })

/** What the mixtures come to that were chosen without a fold, on it, over all folds; and their influence. */
const judgedApart = ({ influences, values }: Moved, chosen: ReadonlyArray<Mixture>) => {
  const influence = influences[0]!.map((_, block) => {
    const { first, second, share } = chosen[block % folds]!
    return share * influences[first]![block]! + (1 - share) * influences[second]![block]!
  })
  let [mean, moved] = [0, 0]
  for (let block = 0; block < influence.length; block++) {
    mean += along(values, chosen[block % folds]!) / influence.length
    moved += influence[block]!
  }
  return { value: mean + moved, influence: influence.map((each) => each - moved / influence.length) }
}

const replicatesOf = (
  { influence, value }: { readonly value: number; readonly influence: Float64Array },
  { blocks, replicates, times }: Resamples
): Float64Array =>
  Float64Array.from({ length: replicates }, (_, replicate) => {
    let replicated = value
    for (let block = 0; block < blocks; block++) {
      replicated += times[replicate * blocks + block]! * influence[block]!
    }
    return replicated
  })

const costsOf = (ways: ReadonlyArray<Outcomes>, { cost: base }: Outcomes): Moved => ({
  values: Float64Array.from(ways, ({ cost }) => cost.value / base.value),
  influences: ways.map(({ cost }) => cost.influence.map((each, block) =>
    (each - cost.value / base.value * base.influence[block]!) / base.value))
})

const successesOf = (ways: ReadonlyArray<Outcomes>, { success: base }: Outcomes): Moved => ({
  values: Float64Array.from(ways, ({ success }) => success.value - base.value),
  influences: ways.map(({ success }) => success.influence.map((each, block) => each - base.influence[block]!))
})

/** The saving of each resample's own best mixture: the best of several flatters, which makes an upper end. */
const chosenAnew = (ways: ReadonlyArray<Outcomes>, base: Outcomes): Float64Array =>
  base.cost.replicates.map((baseUsd, i) => {
    const plane: SuccessPlane = {
      cost: ways.map(({ cost }) => cost.replicates[i]! / baseUsd),
      success: ways.map(({ success }) => success.replicates[i]! - base.success.replicates[i]!)
    }
    const best = cheapestAt(plane, -sameWithin)
    return best === null ? 0 : 1 - along(plane.cost, best)
  })

/** What the intervals of single policies allow for and resampling does not show, of the least sure in use. */
const unshownOf = (used: ReadonlyArray<Outcomes>, baseUsd: number) => {
  const most = (of: (summed: Summed) => number): number => Math.max(...used.map(({ summed }) => of(summed)))
  return {
    drawn: Math.max(...used.map(({ summed: { drawn } }) =>
      drawnReach([{ drawn: drawn.costUsd, perUnit: 1 / baseUsd }]))),
    bills: most(({ unseenBills }) => unseenBills),
    success: most(({ ofSuccess }) => unseen / ofSuccess),
    slack: {
      costUp: most(({ slack }) => slack.costUsd.above) / baseUsd,
      costDown: most(({ slack }) => slack.costUsd.below) / baseUsd,
      success: most(({ slack }) => Math.max(slack.success.above, slack.success.below))
    }
  }
}

/**
 * The largest saving of a mixture of two ways that succeeds as often as the baseline, within a point. It is
 * chosen on four fifths of the blocks and judged on the fifth, for each fifth, so that the choice flatters
 * nothing. Success that it lacks there is paid for along the plane, whose slope is what a little more of it
 * costs; where no way has as much, today's choices are kept, which save nothing. The upper end is also no
 * lower than that of the choice made anew in each resample.
 *
 * @param ways the places of the ways among the policies
 * @see Chernozhukov and others, Double/debiased machine learning (2018)
 */
export const sameQualityOf = (
  policies: ReadonlyArray<Outcomes>,
  ways: ReadonlyArray<number>,
  baseline: number,
  resamples: Resamples
): SameQuality => {
  const base = policies[baseline]!
  const own = ways.map((way) => policies[way]!)
  if (!(base.cost.value > 0)) return { best: null }
  const [costs, successes] = [costsOf(own, base), successesOf(own, base)]
  const plane: SuccessPlane = { cost: costs.values, success: successes.values }
  const mixture = cheapestAt(plane, -sameWithin)
  if (mixture === null) return { best: null }
  const chosen = Array.from({ length: folds }, (_, fold) => {
    const rest: SuccessPlane = { cost: without(costs, fold), success: without(successes, fold) }
    return cheapestAt(rest, -sameWithin) ?? highestSuccess(rest)
  })
  const [cost, success] = [judgedApart(costs, chosen), judgedApart(successes, chosen)]
  const start = along(plane.cost, mixture)
  const savingAt = (ratio: number, difference: number): number => {
    const lacking = Math.max(0, -sameWithin - difference)
    const reached = cheapestAt(plane, lacking - sameWithin)
    return 1 - (reached === null ? Math.max(1, ratio) : ratio + along(plane.cost, reached) - start)
  }
  const value = savingAt(cost.value, success.value)
  const [ratios, differences] = [replicatesOf(cost, resamples), replicatesOf(success, resamples)]
  const replicates = ratios.map((ratio, i) => savingAt(ratio, differences[i]!))
  const influence = cost.influence.map((each) => -each)
  const { above, below } = reachOf(value, replicates, influence)
  const anew = reachOf(value, chosenAnew(own, base), influence)
  const used = [...new Set([mixture, ...chosen].flatMap(({ first, second }) => [first, second]))]
  const unshown = unshownOf([base, ...used.map((way) => own[way]!)], base.cost.value)
  const { slack } = unshown
  const least = Math.min(
    value - Math.max(below, unshown.drawn) * unshown.bills,
    savingAt(cost.value, success.value - unshown.success)
  )
  const lost = value - savingAt(cost.value + slack.costUp, success.value - slack.success)
  const cheaper = cheapestAt(plane, -sameWithin - slack.success) ?? mixture
  const saving = {
    value,
    low: least - lost,
    high: Math.min(1, value + Math.max(above, anew.above, unshown.drawn) * unshown.bills
      + slack.costDown + start - along(plane.cost, cheaper))
  }
  const named = { ...mixture, first: ways[mixture.first]!, second: ways[mixture.second]! }
  return { best: { mixture: named, saving } }
}
