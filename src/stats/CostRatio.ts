/** Costs of candidates: estimates corrected by bills. */
import { folds, type OutcomeLog } from "./OutcomeLog.ts"

const strength = 10

/** The number of the unit, a call or a run, that a row's costs are of. */
const unitOf = ({ clusterOfGroup, group, unitOfCluster }: OutcomeLog, row: number): number =>
  unitOfCluster[clusterOfGroup[group[row]!]!]!

/**
 * Bill of a model per dollar estimated, per fold and model (index `fold * models + model`), > 0: from
 * the billed rows of the other folds, shrunk toward the ratio of all models and that toward 1. Of one unit:
 * runs cost a hundred times what calls do, and their dollars would outweigh those of all calls.
 */
const costRatios = (log: OutcomeLog, unit: number): Float64Array => {
  const { models } = log
  // Per fold and model; after the folds come the sums over all folds.
  const bills = new Float64Array((folds + 1) * models)
  const estimates = new Float64Array((folds + 1) * models)
  let billed = 0
  for (let row = 0; row < log.rows; row++) {
    const ran = log.ran[row]!
    const bill = log.billUsd[row]!
    if (ran < 0 || Number.isNaN(bill) || unitOf(log, row) !== unit) continue
    billed += 1
    for (const fold of [log.fold[row]!, folds]) {
      bills[fold * models + log.model[ran]!]! += bill
      estimates[fold * models + log.model[ran]!]! += log.costUsd[ran]!
    }
  }
  const sumOf = (sums: Float64Array, fold: number): number =>
    sums.subarray(fold * models, (fold + 1) * models).reduce((total, sum) => total + sum, 0)
  // Pseudo-rows of the mean estimate: where nothing was estimated to cost anything, ratios stay 1.
  const pseudo = billed === 0 ? 0 : strength * sumOf(estimates, folds) / billed
  const ratio = (bill: number, estimate: number, parent: number) =>
    // A sum less its own parts may be slightly under 0.
    pseudo === 0 ? 1 : (pseudo * parent + Math.max(0, bill)) / (pseudo + Math.max(0, estimate))
  const parents = Array.from({ length: folds }, (_, fold) =>
    ratio(sumOf(bills, folds) - sumOf(bills, fold), sumOf(estimates, folds) - sumOf(estimates, fold), 1))
  return Float64Array.from({ length: folds * models }, (_, at) => {
    const all = folds * models + at % models
    const parent = parents[Math.floor(at / models)]!
    return ratio(bills[all]! - bills[at]!, estimates[all]! - estimates[at]!, parent)
  })
}

/**
 * What each candidate is expected to cost: its estimate, corrected by how its model's bills compare with
 * estimates.
 */
export const expectedCostsOf = (log: OutcomeLog): Float64Array => {
  const ratiosByUnit = [...new Set(log.unitOfCluster)].reduce(
    (known, unit) => known.set(unit, costRatios(log, unit)), new Map<number, Float64Array>()
  )
  const costs = new Float64Array(log.model.length)
  for (let row = 0; row < log.rows; row++) {
    const ratios = ratiosByUnit.get(unitOf(log, row))!
    const base = log.fold[row]! * log.models
    for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
      costs[at] = log.costUsd[at]! * ratios[base + log.model[at]!]!
    }
  }
  return costs
}

/**
 * Cost of each candidate in US dollars: its bill if it ran and was billed, an explicit 0 included; else as
 * expected.
 */
export const costsOf = (log: OutcomeLog): Float64Array => {
  const costs = expectedCostsOf(log)
  for (let row = 0; row < log.rows; row++) {
    const ran = log.ran[row]!
    if (ran >= 0 && !Number.isNaN(log.billUsd[row]!)) costs[ran] = log.billUsd[row]!
  }
  return costs
}
