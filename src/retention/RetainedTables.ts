/* The retention period, the tables whose rows belong to a decision, and those with texts. */

import { partitionedTables } from "../sql/LedgerTables.ts"

/** The default retention of decisions and their rows, days. Chosen. */
export const retentionDays = 400

/**
 * The shortest retention that can be configured, of decisions and of texts, days: four times as long as
 * feedback counts in full, so that a mistyped number drops nothing of a decision that still gets feedback.
 */
export const retentionDaysMin = 30

/** A table that is purged row by row. */
export interface RetainedTable {
  readonly table: string
  /** The column that says when the row was made. */
  readonly time: string
  /** The condition on the old rows that are purged; all when absent. */
  readonly only?: string
  /** The columns that lose their text, in SQL; the rows are deleted when absent. */
  readonly emptied?: string
}

/**
 * The tables whose rows lose their meaning with their decision. The ledger's are here for their default
 * partitions. Of memory only outcomes that never taught are purged: the others hold no task and weigh less as
 * they age. Writes that a remote memory refused go with their report.
 */
export const retainedTables: ReadonlyArray<RetainedTable> = [
  // Rows in monthly partitions are dropped with them.
  ...partitionedTables.map((table) =>
    ({ table, time: "created_at", only: `tableoid = '${table}_default'::regclass` })),
  // A report with writes still has to reach a remote memory.
  { table: "report", time: "reported_at", only: "writes is null" },
  { table: "step_reward", time: "occurred_at" },
  { table: "observation", time: "occurred_at", only: "not teaches" },
  { table: "observed_call", time: "called_at" },
  { table: "observed_left_out", time: "day" }
]

/** The texts that are purged: words of tasks, what callers said of steps, and lessons that quote them. */
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
