/** The best pick by an outcome model: the best for each row, and the best single model for all rows. */
import { folds, type OutcomeLog } from "./OutcomeLog.ts"
import { expected, fit, type OutcomeModel } from "./OutcomeModel.ts"
import { type SufficientStatistics, statisticsOf } from "./SufficientStatistics.ts"

/**
 * The mean success of each row's best candidate, in [0, 1]; null if there are no rows. An outcome model of
 * two folds chooses the candidate, and one of two other folds judges it, so that luck in the choice does not
 * count.
 */
export const oracleSuccess = (
  log: OutcomeLog,
  statistics: ReadonlyArray<SufficientStatistics>
): number | null => {
  const pairs = statistics.map((_, fold) =>
    fit(log, [statistics[(fold + 1) % folds]!, statistics[(fold + 2) % folds]!]))
  let [rows, success] = [0, 0]
  for (let row = 0; row < log.rows; row++) {
    const choosing = pairs[log.fold[row]!]!
    const judging = pairs[(log.fold[row]! + 2) % folds]!
    let [best, bestValue] = [-1, -Infinity]
    for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
      const isKnown = choosing.seenOfModel[log.model[at]!]! > 0
      const value = expected(choosing, log, row, at) - (isKnown ? 0 : 1)
      if (value > bestValue) [best, bestValue] = [at, value]
    }
    if (best < 0) continue
    rows += 1
    success += expected(judging, log, row, best)
  }
  return rows === 0 ? null : success / rows
}

/** Minimum number of rows of the best single model, as a share of the most frequent candidate's rows. */
const availableShare = 0.8

/** For each model: number of rows with the model as candidate, and sum of its success expected on them. */
const meansOf = (log: OutcomeLog, model: OutcomeModel, rows: number) => {
  const available = new Float64Array(log.models)
  const success = new Float64Array(log.models)
  for (let row = 0; row < rows; row++) {
    for (let at = log.first[row]!; at < log.first[row + 1]!; at++) {
      available[log.model[at]!]! += 1
      success[log.model[at]!]! += expected(model, log, row, at)
    }
  }
  return { available, success }
}

/**
 * Finds the model with the highest mean of expected success in the first `rows` rows. Considers models that
 * ran and that are candidates on at least four fifths as many rows as the most frequent candidate. Returns
 * null if the log has no run of a frequent candidate.
 */
export const bestSingle = (log: OutcomeLog, rows: number): number | null => {
  const fitted = fit(log, [statisticsOf(log, 0, rows)])
  const { available, success } = meansOf(log, fitted, rows)
  const most = available.reduce((high, count) => Math.max(high, count), 0)
  let best: number | null = null
  for (let model = 0; model < log.models; model++) {
    const count = available[model]!
    if (fitted.seenOfModel[model] === 0 || count < availableShare * most) continue
    if (best === null || success[model]! / count > success[best]! / available[best]!) best = model
  }
  return best
}
