/** The cost and success of policies on a foreign log, whose choices have unknown propensities. */
import { Numbering } from "../../../../src/stats/Numbering.ts"
import type { Columns, JudgedRow } from "./LogColumns.ts"
import { judged, type LogFigures } from "./LogFigures.ts"
import { makeLoggingHabit } from "./LoggingHabit.ts"

/*
 * The estimator is that of reports, with the habit by which the log chose in place of the logged propensity:
 * it is learned from the rows before, so that it saw neither the row nor its future. The estimate is right
 * where the logged choice depended on nothing but what is logged, and where labels and bills are missing at
 * random given the cluster and the model.
 */

/** Takes rows one at a time. */
export interface LogPolicies {
  readonly add: (row: JudgedRow) => void
  readonly finish: () => LogFigures
}

/** Rows at the beginning that are learned from and not judged: no habit is known yet. */
export const rowsUnjudged = 50

/**
 * Judges policies on rows of a log.
 *
 * @param models their number, as of policies
 * @param logged the policy whose picks are the logged models, which savings are against
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
