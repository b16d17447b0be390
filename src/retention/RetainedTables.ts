/* The retention periods, and the tables whose old rows or old texts are purged. */

import { partitionedTables } from "../sql/LedgerTables.ts"

/** The default retention of decisions and their rows, days. Chosen. */
export const retentionDays = 400

/**
 * The shortest retention of decisions and of texts that can be configured, days. Feedback counts in full for
 * a quarter of this time. So a mistyped number cannot drop a decision that still gets feedback.
 */
export const retentionDaysMin = 30

/** A table whose old rows or texts are purged row by row. */
export interface RetainedTable {
  readonly table: string
  /** The column with the row's time. */
  readonly time: string
  /** An SQL condition: only old rows that meet it are purged. If absent, all old rows are purged. */
  readonly only?: string
  /** The SQL assignments that empty the row's texts. If absent, the row is deleted. */
  readonly emptied?: string
}

/**
 * The tables whose rows have no use without their decision. Memory loses only the outcomes that never taught:
 * outcomes that taught hold no task, and weigh less as they age. A report is deleted with the writes that a
 * remote memory refused.
 */
export const retainedTables: ReadonlyArray<RetainedTable> = [
  // Only the default partition: rows of a monthly partition are dropped with the partition.
  ...partitionedTables.map((table) =>
    ({ table, time: "created_at", only: `tableoid = '${table}_default'::regclass` })),
  // A report keeps its writes until a remote memory has taken them.
  { table: "report", time: "reported_at", only: "writes is null" },
  { table: "step_reward", time: "occurred_at" },
  { table: "observation", time: "occurred_at", only: "not teaches" },
  { table: "observed_call", time: "called_at" },
  { table: "observed_left_out", time: "day" }
]

/** The purged texts: words of tasks, callers' remarks on steps, and lessons that quote either. */
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
