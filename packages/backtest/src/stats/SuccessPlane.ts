/** The plane of success and cost: mixtures of two ways, and the cheapest that succeeds so often. */

/** Costs in shares of the baseline's, and success less the baseline's, by way. */
export interface SuccessPlane {
  readonly cost: ArrayLike<number>
  readonly success: ArrayLike<number>
}

/** Two ways, of which `first` gets a share of the calls, in (0, 1], and `second` the others. */
export interface Mixture {
  readonly first: number
  readonly second: number
  readonly share: number
}

/** What a mixture comes to, of figures by way. */
export const along = (of: ArrayLike<number>, { first, second, share }: Mixture): number =>
  share * of[first]! + (1 - share) * of[second]!

/** The cheapest mixture with at least such a success, on the hull of the ways; null where none reaches it. */
export const cheapestAt = ({ cost, success }: SuccessPlane, least: number): Mixture | null => {
  let best: Mixture | null = null
  let bestCost = Infinity
  for (let first = 0; first < cost.length; first++) {
    if (!(success[first]! >= least)) continue
    for (let second = 0; second < cost.length; second++) {
      const isBelow = success[second]! < least && cost[second]! < cost[first]!
      if (second !== first && !isBelow) continue
      const share = second === first ? 1 : (least - success[second]!) / (success[first]! - success[second]!)
      const mixture = { first, second, share }
      const mixed = along(cost, mixture)
      if (mixed >= bestCost) continue
      best = mixture
      bestCost = mixed
    }
  }
  return best
}

/** The way with the highest success, for all calls. */
export const highestSuccess = ({ success }: SuccessPlane): Mixture => {
  let best = 0
  for (let way = 1; way < success.length; way++) if (success[way]! > success[best]!) best = way
  return { first: best, second: best, share: 1 }
}
