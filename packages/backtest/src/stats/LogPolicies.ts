/* Estimates cost and success of policies on a log without propensities. The habit, learned only from
   earlier rows, replaces the propensity. The estimate is right if the logged choice depended only on
   logged fields, and if labels and bills are missing at random within a cluster and model. */
import { Numbering } from "../../../../src/stats/Numbering.ts"
import type { Columns, JudgedRow } from "./LogColumns.ts"
import { judged, type LogFigures } from "./LogFigures.ts"
import { makeLoggingHabit } from "./LoggingHabit.ts"

export interface LogPolicies {
  readonly add: (row: JudgedRow) => void
  readonly finish: () => LogFigures
}

/** Number of a log's first rows that are learned and not judged, because no habit is known yet. */
export const rowsUnjudged = 50

/**
 * @param models number of models
 * @param policies number of policies
 * @param logged the policy that picks the logged models, the baseline of savings
 */
export const makeLogPolicies = (models: number, policies: number, logged: number): LogPolicies => {
  const habit = makeLoggingHabit(models)
  const columns: Columns = {
    models, block: [], cluster: [], typeOfCluster: [], logged: [], quality: [], billUsd: [], success: [],
    estimateUsd: [], share: []
  }
  const [blocks, types] = [new Numbering<number>(), new Numbering<number>()]
  const clusters = new Numbering<string>()
  const picks = Array.from({ length: policies }, (): Array<number> => [])
  let rows = 0
  return {
    add: (row) => {
      const { context: { difficulty, taskType }, loggedModel, success } = row
      const shares = habit.shares(row.context, success.reduce((sum, each) => sum + each, 0) / models)
      habit.learn(loggedModel)
      rows += 1
      if (rows <= rowsUnjudged) return
      const cluster = clusters.of(`${taskType}:${difficulty}`)
      if (cluster === columns.typeOfCluster.length) columns.typeOfCluster.push(types.of(taskType))
      columns.block.push(blocks.of(row.block))
      columns.cluster.push(cluster)
      columns.logged.push(loggedModel)
      columns.quality.push(row.quality)
      columns.billUsd.push(row.costUsd)
      columns.success.push(...success)
      columns.estimateUsd.push(...row.expectedUsd)
      columns.share.push(...shares)
      row.picks.forEach((pick, policy) => { picks[policy]!.push(pick) })
    },
    finish: () => judged({ columns, picks, logged })
  }
}
