import { folds, type OutcomeLog } from "./OutcomeLog.ts"

const strength = 10

/**
 * What a model is billed per dollar estimated, per fold and model (index `fold * models + model`), > 0: from
 * the billed rows of the other folds, shrunk toward the ratio of all models and that toward 1.
 */
const costRatios = (log: OutcomeLog): Float64Array => {
  const { models } = log
  const width = models + 1
  const bills = new Float64Array(folds * width)
  const estimates = new Float64Array(folds * width)
  let [billed, estimated] = [0, 0]
  for (let row = 0; row < log.rows; row++) {
    const ran = log.ran[row]!
    const bill = log.billUsd[row]!
    if (ran < 0 || Number.isNaN(bill)) continue
    billed += 1
    estimated += log.costUsd[ran]!
    for (let fold = 0; fold < folds; fold++) {
      if (fold === log.fold[row]) continue
      for (const at of [log.model[ran]!, models]) {
        bills[fold * width + at]! += bill
        estimates[fold * width + at]! += log.costUsd[ran]!
      }
    }
  }
  // Pseudo-rows of the mean estimate: where nothing was estimated to cost anything, ratios stay 1.
  const pseudo = billed === 0 ? 0 : strength * estimated / billed
  const ratio = (at: number, parent: number) =>
    pseudo === 0 ? 1 : (pseudo * parent + bills[at]!) / (pseudo + estimates[at]!)
  return Float64Array.from({ length: folds * models }, (_, index) => {
    const fold = Math.floor(index / models)
    return ratio(fold * width + index % models, ratio(fold * width + models, 1))
  })
}

/**
 * What each candidate costs in US dollars: its bill if it ran and was billed, an explicit 0 included; else
 * its estimate, corrected by how its model's bills compare with estimates.
 */
export const costsOf = (log: OutcomeLog): Float64Array => {
  const ratios = costRatios(log)
  const costs = new Float64Array(log.model.length)
  for (let row = 0; row < log.rows; row++) {
    const base = log.fold[row]! * log.models
    for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
      costs[at] = log.costUsd[at]! * ratios[base + log.model[at]!]!
    }
    const ran = log.ran[row]!
    if (ran >= 0 && !Number.isNaN(log.billUsd[row]!)) costs[ran] = log.billUsd[row]!
  }
  return costs
}
