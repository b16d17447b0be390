/* Turns trusted outcomes into the numbered columns that the estimators of policies read. */
import { type Cluster, taskTypeOf, unitOf, units } from "../domain/Task.ts"
import { Numbering } from "../stats/Numbering.ts"
import { blocksMax, folds, type OutcomeLog } from "../stats/OutcomeLog.ts"
import type { LabelledOutcomes } from "./Aggregates.ts"

/** Maximum product of groups and models. If groups by lane are too many, lanes share a group per cluster. */
const cellsMax = 200_000

/** Upper bound of a lane's number: `cluster * lanesMax + lane` must be an exact integer. */
const lanesMax = 2 ** 44

/** Numbers the rows' groups: a group is a cluster, or a cluster in one lane if `isByLane` is true. */
const groupsOf = ({ cluster: ofRow, lane, rows }: LabelledOutcomes, isByLane: boolean) => {
  const groups = new Numbering<number>()
  const clusters = new Numbering<string>()
  const types = new Numbering<string>()
  const clusterOfGroup: Array<number> = []
  const typeOfCluster: Array<number> = []
  const unitOfCluster: Array<number> = []
  const group = new Int32Array(rows)
  for (let row = 0; row < rows; row++) {
    const name = ofRow[row]!
    const cluster = clusters.of(name)
    const at = groups.of(cluster * lanesMax + (isByLane ? lane[row]! : 0))
    if (at === clusterOfGroup.length) clusterOfGroup.push(cluster)
    // The cast is safe, because every cluster in a ledger has the form that `clusterOf` makes.
    if (cluster === typeOfCluster.length) {
      typeOfCluster.push(types.of(taskTypeOf(name as Cluster)))
      unitOfCluster.push(units.indexOf(unitOf(name as Cluster)))
    }
    group[row] = at
  }
  return {
    groups: groups.keys.length,
    clusters: clusters.keys.length,
    types: types.keys.length,
    group,
    clusterOfGroup: Int32Array.from(clusterOfGroup),
    typeOfCluster: Int32Array.from(typeOfCluster),
    unitOfCluster: Int32Array.from(unitOfCluster)
  }
}

/** Returns the cross-validation fold and the bootstrap block of each row. */
const partsOf = ({ hash, rows }: LabelledOutcomes) => {
  const blocks = Math.min(rows, blocksMax)
  const fold = new Uint8Array(rows)
  const block = new Int32Array(rows)
  for (let row = 0; row < rows; row++) {
    fold[row] = hash[row]! % folds
    block[row] = rows <= blocksMax ? row : Math.floor(hash[row]! / folds) % blocks
  }
  return { fold, block, blocks }
}

export interface OutcomeColumns {
  readonly log: OutcomeLog
  readonly baseline: Int32Array
  readonly modelIds: ReadonlyArray<string>
}

export const columnsOf = (outcomes: LabelledOutcomes): OutcomeColumns => {
  const { costUsd, first, isEligible, model, modelIds, prediction, ran, recommended, rows } = outcomes
  const { billUsd, propensity, success } = outcomes
  const models = modelIds.length
  const laned = groupsOf(outcomes, true)
  const groups = laned.groups * models <= cellsMax ? laned : groupsOf(outcomes, false)
  const columns = { first, model, prediction, costUsd, isEligible, recommended, ran }
  return {
    modelIds,
    baseline: outcomes.baseline,
    log: { rows, models, ...groups, ...columns, propensity, success, billUsd, ...partsOf(outcomes) }
  }
}
