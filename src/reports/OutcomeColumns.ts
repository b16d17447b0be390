import { hashOf } from "../stats/Generator.ts"
import { blocksMax, folds, type OutcomeLog } from "../stats/OutcomeLog.ts"
import { type ReconciledRow, successOf } from "./Reconciled.ts"

/** With more groups times models than this, lanes share their clusters' cells: a report is not worth more. */
const cellsMax = 200_000

/** Whole numbers for keys, in the order of their first appearance. */
class Numbering<Key> {
  readonly #numbers = new Map<Key, number>()
  readonly keys: Array<Key> = []

  of(key: Key): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.keys.length)
    return this.keys.push(key) - 1
  }
}

/** Lanes never come near this many. */
const lanesMax = 2 ** 30

/** The numbers of every row's group, and what a group belongs to. */
const groupsOf = (rows: ReadonlyArray<ReconciledRow>, isByLane: boolean) => {
  const lanes = new Numbering<string>()
  const groups = new Numbering<number>()
  const clusters = new Numbering<string>()
  const types = new Numbering<string>()
  const clusterOfGroup: Array<number> = []
  const typeOfCluster: Array<number> = []
  const group = new Int32Array(rows.length)
  rows.forEach(({ decision }, row) => {
    const cluster = clusters.of(decision.cluster)
    const at = groups.of(cluster * lanesMax + (isByLane ? lanes.of(decision.lane) : 0))
    if (at === clusterOfGroup.length) clusterOfGroup.push(cluster)
    if (cluster === typeOfCluster.length) typeOfCluster.push(types.of(decision.taskType))
    group[row] = at
  })
  return {
    groups: groups.keys.length,
    clusters: clusters.keys.length,
    types: types.keys.length,
    group,
    clusterOfGroup: Int32Array.from(clusterOfGroup),
    typeOfCluster: Int32Array.from(typeOfCluster)
  }
}

/** The candidates of every row, one after the other, and which of them was recommended and which ran. */
const candidatesOf = (rows: ReadonlyArray<ReconciledRow>) => {
  const names = new Numbering<string>()
  const count = rows.reduce((sum, { decision }) => sum + decision.candidates.length, 0)
  const first = new Int32Array(rows.length + 1)
  const model = new Int32Array(count)
  const prediction = new Float64Array(count)
  const costUsd = new Float64Array(count)
  const isEligible = new Uint8Array(count)
  const recommended = new Int32Array(rows.length).fill(-1)
  const ran = new Int32Array(rows.length).fill(-1)
  let at = 0
  rows.forEach(({ decision, feedback }, row) => {
    for (const candidate of decision.candidates) {
      model[at] = names.of(candidate.modelId)
      prediction[at] = candidate.predictedSuccess
      costUsd[at] = candidate.estCostUsd
      isEligible[at] = candidate.isEligible ? 1 : 0
      if (candidate.modelId === decision.recommendedModelId) recommended[row] = at
      if (candidate.modelId === feedback.chosenModelId) ran[row] = at
      at += 1
    }
    first[row + 1] = at
  })
  return {
    models: names.keys.length,
    modelIds: names.keys,
    columns: { first, model, prediction, costUsd, isEligible, recommended, ran }
  }
}

/** The last characters of an id are all random: hashing the rest takes its time and adds nothing. */
const randomTail = 12

/** What is known of each row as a whole. Loops, because `from` with a function takes ten times as long. */
const rowColumnsOf = (rows: ReadonlyArray<ReconciledRow>) => {
  const propensity = new Float64Array(rows.length)
  const success = new Float64Array(rows.length)
  const billUsd = new Float64Array(rows.length)
  const fold = new Uint8Array(rows.length)
  const block = new Int32Array(rows.length)
  const blocks = Math.min(rows.length, blocksMax)
  rows.forEach(({ decision, feedback }, row) => {
    const hash = hashOf(decision.recommendationId, Math.max(0, decision.recommendationId.length - randomTail))
    propensity[row] = decision.propensity
    success[row] = successOf(feedback.outcome)
    billUsd[row] = feedback.actualCostUsd ?? NaN
    fold[row] = hash % folds
    block[row] = rows.length <= blocksMax ? row : Math.floor(hash / folds) % blocks
  })
  return { propensity, success, billUsd, fold, block, blocks }
}

/** A log in columns, with the ids of its models by number. */
export interface OutcomeColumns {
  readonly log: OutcomeLog
  readonly modelIds: ReadonlyArray<string>
}

/** The rows in columns, in their order: oldest first. Folds and blocks go by the recommendation's id. */
export const outcomeColumns = (rows: ReadonlyArray<ReconciledRow>): OutcomeColumns => {
  const { columns, modelIds, models } = candidatesOf(rows)
  const laned = groupsOf(rows, true)
  const groups = laned.groups * models <= cellsMax ? laned : groupsOf(rows, false)
  return { modelIds, log: { rows: rows.length, models, ...groups, ...columns, ...rowColumnsOf(rows) } }
}
