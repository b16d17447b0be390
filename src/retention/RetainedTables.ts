/* The retention periods, and the tables whose old rows or old texts are purged. */

import { partitionedTables } from "../sql/LedgerTables.ts"

/** The default retention of decisions and their rows, days. Chosen. */
export const retentionDays = 400

/**
 * The shortest retention of decisions and of texts that can be configured, days. Feedback has its full weight
 * for a quarter of this time. So a mistyped number of days cannot drop a decision that still gets feedback.
 */
export const retentionDaysMin = 30

/** A table whose old rows or texts are purged row by row. */
export interface RetainedTable {
  readonly table: string
  /** Name of the column that holds the row's time. */
  readonly time: string
  /**
   * An SQL condition. Only old rows that meet this condition are purged. If the condition is absent, all old
   * rows are purged.
   */
  readonly only?: string
  /** The SQL assignments that empty the texts of a row. If the assignments are absent, the row is deleted. */
  readonly emptied?: string
}

/**
 * The tables whose rows are useless after their decision is deleted. In memory, only outcomes that never
 * taught are purged. Taught outcomes hold no task text, and their weight fades. A report is deleted together
 * with the writes that a remote memory refused.
 */
export const retainedTables: ReadonlyArray<RetainedTable> = [
  // The purge of rows covers only the default partition of a table. Rows of a monthly partition are dropped
  // with the partition.
  ...partitionedTables.map((table) =>
    ({ table, time: "created_at", only: `tableoid = '${table}_default'::regclass` })),
  // A report keeps its writes until a remote memory has accepted them.
  { table: "report", time: "reported_at", only: "writes is null" },
  { table: "step_reward", time: "occurred_at" },
  { table: "observation", time: "occurred_at", only: "not teaches" },
  { table: "observed_call", time: "called_at" },
  { table: "observed_left_out", time: "day" }
]

/** The purged texts: tasks, callers' remarks on steps, and lessons that quote either of them. */
export const retainedTexts: ReadonlyArray<RetainedTable> = [
  { table: "decision", time: "created_at", only: "task_excerpt <> ''", emptied: "task_excerpt = ''" },
  { table: "observation_text", time: "kept_at" },
  {
    table: "step_reward", time: "occurred_at",
    only: "num_nonnulls(step_name, rationale, directive_hint) > 0",
    emptied: "step_name = null, rationale = null, directive_hint = null"
  },
  {
    table: "lesson", time: "occurred_at",
    only: "lesson_type = 'failure' and (error_headline <> '' or topic like 'step:%')"
  }
]
