/* Reads the sums over tasks whose attempts are known. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { chainPrefix } from "../../domain/TaskKey.ts"
import type { TaskSums } from "../savings/SavingsSums.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import { usdMin } from "../savings/Followed.ts"
import { reportSettings } from "../ReportSettings.ts"
import { type SavingsRow, type SumsIn, sumsColumn } from "./AggregateRows.ts"
import { counted, isNoAttempt } from "./AggregateStatements.ts"
import { cost } from "./CostOutliers.ts"

type KnownTaskSums = Omit<TaskSums, "unknown">

const taskSums: SumsIn<KnownTaskSums> = {
  tasks: "count(*)",
  finished: "count(*) filter (where is_finished)",
  finishedAtFirst: "count(*) filter (where is_at_first)",
  abandoned: "count(*) filter (where has_ended and not is_finished)",
  attempts: "coalesce(sum(attempts) filter (where has_ended), 0)",
  costed: sumsColumn({
    n: "count(usd) filter (where has_ended)",
    denominator: "count(usd) filter (where is_finished)",
    numerator: "coalesce(sum(usd) filter (where has_ended), 0)",
    squares: `coalesce(sum(usd * usd) filter (where has_ended and usd > ${usdMin}), 0)`,
    both: "coalesce(sum(usd) filter (where is_finished), 0)"
  })
}

/**
 * Returns the SQL table `attempt`: the decisions that belong to a task, with their task. Attempts in a chain
 * name the first decision of the chain. If the first decision itself names a task, perhaps in a later report,
 * all attempts of the chain belong to that task.
 */
const attemptsIn = (sql: SqlClient.SqlClient, window: LedgerWindow) => sql`
  with counted as materialized (
    select recommendation_id as id, created_at, lane, task_key, attempt_number, feedback_at, chosen_model_id,
      success = 1 and teaches as has_passed, ${sql.literal(cost)} as usd
    from decision_figures where ${counted(sql, window)}
  ), chain as materialized (
    select each.task_key as chain, each.id, coalesce(own.task_key, each.task_key) as task
    from (select distinct task_key, substr(task_key, ${chainPrefix.length + 1})::uuid as id
      from counted where starts_with(task_key, ${chainPrefix})) as each left join counted own using (id)
  ), attempt as (
    select counted.*, coalesce(named.task, counted.task_key, begun.task) as task
    from counted left join chain named on named.chain = counted.task_key
      left join chain begun on begun.id = counted.id and counted.task_key is null
    where counted.task_key is not null or begun.id is not null
  )`

/**
 * Reads sums over a window's tasks; null if no row has a task's key. A key in another lane is another task.
 */
export const readTasks = Effect.fnUntraced(function*(
  sql: SqlClient.SqlClient,
  window: LedgerWindow,
  rows: ReadonlyArray<SavingsRow>
) {
  if (!rows.some(({ nAttempts }) => nAttempts > 0)) return null
  const [row] = yield* sql<{ readonly sums: KnownTaskSums; readonly known: number }>`
    ${attemptsIn(sql, window)}
    select ${sql.literal(sumsColumn(taskSums))} as sums, coalesce(sum(attempts), 0)::int as known from (
      select attempts, is_finished, is_at_first, usd,
        is_finished or newest <= now() - ${`${reportSettings.taskOpenMs} ms`}::interval as has_ended
      from (
        select count(feedback_at)::int as attempts, max(created_at) as newest,
          coalesce(bool_or(has_passed), false) as is_finished,
          coalesce(bool_or(has_passed and place = 1 and coalesce(attempt_number, 1) = 1), false)
            as is_at_first,
          case when count(feedback_at) = count(usd) then sum(usd) end as usd
        from (select *, row_number() over (
            partition by lane, task, ${sql.literal(isNoAttempt)} order by created_at, id) as place
          from attempt) as placed
        group by lane, task
      ) as task where attempts > 0
    ) as task`
  if (row === undefined) return null
  const nFeedback = rows.reduce((total, { sums }) => total + sums.nFeedback, 0)
  const sums: TaskSums = { ...row.sums, unknown: nFeedback - row.known }
  return sums
})
