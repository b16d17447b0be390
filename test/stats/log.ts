import type { OutcomeLog } from "../../src/stats/OutcomeLog.ts"

/** One row of a small log: candidates as `[model, prediction, cost, isEligible]`. */
export interface Row {
  readonly candidates: ReadonlyArray<readonly [model: number, prediction: number, cost: number, ok?: boolean]>
  /** Positions among the candidates; 0 by default, `ran` what was recommended. */
  readonly recommended?: number
  readonly ran?: number
  readonly group?: number
  readonly propensity?: number
  readonly success?: number
  readonly bill?: number
  readonly fold?: number
}

/** The rows in columns: a group is its own cluster, all of one type; every row is its own block. */
export const logOf = (rows: ReadonlyArray<Row>): OutcomeLog => {
  const candidates = rows.flatMap((row) => row.candidates)
  const first = Int32Array.from([0, ...rows.map((_, row) =>
    rows.slice(0, row + 1).reduce((sum, each) => sum + each.candidates.length, 0))])
  const groups = Math.max(0, ...rows.map(({ group = 0 }) => group)) + 1
  const at = (row: number, position: number) => position < 0 ? -1 : first[row]! + position
  return {
    rows: rows.length,
    models: Math.max(0, ...candidates.map(([model]) => model)) + 1,
    groups,
    clusters: groups,
    types: 1,
    group: Int32Array.from(rows, ({ group = 0 }) => group),
    clusterOfGroup: Int32Array.from({ length: groups }, (_, group) => group),
    typeOfCluster: new Int32Array(groups),
    unitOfCluster: new Int32Array(groups),
    first,
    model: Int32Array.from(candidates, ([model]) => model),
    prediction: Float64Array.from(candidates, ([, prediction]) => prediction),
    costUsd: Float64Array.from(candidates, ([, , cost]) => cost),
    isEligible: Uint8Array.from(candidates, ([, , , isEligible = true]) => isEligible ? 1 : 0),
    recommended: Int32Array.from(rows, ({ recommended = 0 }, row) => at(row, recommended)),
    ran: Int32Array.from(rows, ({ ran, recommended = 0 }, row) => at(row, ran ?? recommended)),
    propensity: Float64Array.from(rows, ({ propensity = 1 }) => propensity),
    success: Float64Array.from(rows, ({ success = 1 }) => success),
    billUsd: Float64Array.from(rows, ({ bill = NaN }) => bill),
    fold: Uint8Array.from(rows, ({ fold }, row) => fold ?? row % 5),
    block: Int32Array.from(rows, (_, row) => row),
    blocks: rows.length
  }
}

export const times = <A>(count: number, of: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => of(index))
