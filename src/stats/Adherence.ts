/** The probability that callers run the recommended model. */
import { folds, isFollowed, type OutcomeLog } from "./OutcomeLog.ts"

const strength = 10
/** Minimum adherence, so that one row of a caller who seldom follows advice does not count as hundreds. */
const shareMin = 0.05

/** Counts rows by fold and key, at index `fold * size + key`. */
const countsOf = (log: OutcomeLog, keys: Int32Array, size: number) => {
  const seen = new Float64Array(folds * size)
  const followed = new Float64Array(folds * size)
  for (let row = 0; row < log.rows; row++) {
    const at = log.fold[row]! * size + keys[row]!
    seen[at]! += 1
    if (isFollowed(log, row)) followed[at]! += 1
  }
  return { seen, followed }
}

/** The share of followed rows in the other folds, for each fold and key, shrunk toward the parent's share. */
const sharesOf = (
  log: OutcomeLog,
  keys: Int32Array,
  size: number,
  parentOf: (fold: number, key: number) => number
): Float64Array => {
  const { followed, seen } = countsOf(log, keys, size)
  const shares = new Float64Array(folds * size)
  for (let key = 0; key < size; key++) {
    let [all, allFollowed] = [0, 0]
    for (let fold = 0; fold < folds; fold++) {
      all += seen[fold * size + key]!
      allFollowed += followed[fold * size + key]!
    }
    for (let fold = 0; fold < folds; fold++) {
      const at = fold * size + key
      shares[at] = (strength * parentOf(fold, key) + allFollowed - followed[at]!)
        / (strength + all - seen[at]!)
    }
  }
  return shares
}

/**
 * Computes for each row the probability, in [0.05, 1], that a caller runs the recommended model. The
 * probability is the share of followed rows of the same cluster and recommendation in the other folds, shrunk
 * toward broader shares.
 */
export const adherencePropensity = (log: OutcomeLog): Float64Array => {
  const cluster = new Int32Array(log.rows)
  const cell = new Int32Array(log.rows)
  // The number `log.models` stands for a recommended model that is no candidate.
  const width = log.models + 1
  for (let row = 0; row < log.rows; row++) {
    const pick = log.recommended[row]!
    cluster[row] = log.clusterOfGroup[log.group[row]!]!
    cell[row] = cluster[row]! * width + (pick < 0 ? log.models : log.model[pick]!)
  }
  const all = sharesOf(log, new Int32Array(log.rows), 1, () => 1)
  const ofCluster = sharesOf(log, cluster, log.clusters, (fold) => all[fold]!)
  const size = log.clusters * width
  const ofCell = sharesOf(log, cell, size, (fold, key) =>
    ofCluster[fold * log.clusters + Math.floor(key / width)]!)
  const shares = new Float64Array(log.rows)
  for (let row = 0; row < log.rows; row++) {
    shares[row] = Math.max(shareMin, ofCell[log.fold[row]! * size + cell[row]!]!)
  }
  return shares
}
