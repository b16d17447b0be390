/* Orders one model's neighbours by weight, and estimates their present success. */
import type { Neighbours, RowRange } from "../../../memory/Neighbours.ts"
import { type ChangeRule, presentEvidence } from "../../../stats/ChangePoint.ts"
import type { Tally } from "../../../stats/NeighbourMixture.ts"
import { sortBeside } from "../../../stats/SortBeside.ts"
import type { WeighedNeighbours } from "../candidates/Candidate.ts"

/** Buffers for one model at a time, because allocating them took longer than sorting. */
let keys = new Float64Array(256)
let places = new Float64Array(256)
let successes = new Float64Array(256)

/** Returns a model's rows by weight, then by similarity, with rows without weight last. */
export const heaviestFirst = (
  all: Neighbours,
  { from }: RowRange,
  ownWeights: Float64Array
): WeighedNeighbours => {
  const count = ownWeights.length
  if (keys.length < count) {
    keys = new Float64Array(count)
    places = new Float64Array(count)
    successes = new Float64Array(count)
  }
  const rows = new Array<number>(count)
  const weights = new Array<number>(count)
  let heavy = 0
  let light = count
  // Rows without weight are placed from the end backwards, so that they keep their order.
  for (let i = count - 1; i >= 0; i--) {
    if (ownWeights[i]! > 0) continue
    rows[--light] = from + i
    weights[light] = 0
  }
  for (let i = 0; i < count; i++) {
    if (!(ownWeights[i]! > 0)) continue
    keys[heavy] = -all.similarity(from + i)
    places[heavy++] = from + i
  }
  sortBeside(keys, places, heavy)
  for (let i = 0; i < heavy; i++) keys[i] = -ownWeights[places[i]! - from]!
  sortBeside(keys, places, heavy)
  for (let i = 0; i < heavy; i++) {
    weights[i] = -keys[i]!
    rows[i] = places[i]!
  }
  return { all, rows, weights, heavy }
}

/**
 * Sums the weights and the weighted successes of a model's neighbours. Neighbours before a likely change of
 * success count less. The neighbours are read by age, youngest first, and by id at the same age.
 */
export const presentOf = ({ all, heavy, rows, weights }: WeighedNeighbours, rule: ChangeRule): Tally => {
  for (let i = 0; i < heavy; i++) {
    keys[i] = all.ageDays(rows[i]!)
    places[i] = i
  }
  sortBeside(keys, places, heavy)
  const idAt = (i: number): string => all.entryId(rows[places[i]!]!)
  for (let i = 1; i < heavy; i++) {
    for (let at = i; at > 0 && keys[at - 1] === keys[at] && idAt(at) < idAt(at - 1); at--) {
      const place = places[at]!
      places[at] = places[at - 1]!
      places[at - 1] = place
    }
  }
  for (let i = 0; i < heavy; i++) {
    const weight = keys[i] = weights[places[i]!]!
    successes[i] = weight * all.quality(rows[places[i]!]!)
  }
  return presentEvidence(keys, successes, heavy, rule)
}
