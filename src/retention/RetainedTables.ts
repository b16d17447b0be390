/* The retention periods, and the tables whose old rows or old texts are purged. */

import { partitionedTables } from "../sql/LedgerTables.ts"

/** The default retention of decisions, days. Chosen. */
export const retentionDays = 400

/** Minimum retention that can be configured, days, so that a mistyped number cannot drop recent decisions. */
export const retentionDaysMin = 30

export interface RetainedTable {
  readonly table: string
  readonly time: string
  /** Only old rows that meet this SQL condition are purged; if absent, all old rows. */
  readonly only?: string
  /** The SQL assignments that empty the texts of a row. If the assignments are absent, the row is deleted. */
  readonly emptied?: string
}

/**
 * Tables whose rows are purged at the same age as decisions. Outcomes that teach are not purged, because
 * they hold no task text and their weight fades.
 */
export const retainedTables: ReadonlyArray<RetainedTable> = [
  // Retention deletes single rows of partitioned tables only from their default partitions.
  ...partitionedTables.map((table) =>
    ({ table, time: "created_at", only: `tableoid = '${table}_default'::regclass` })),
  // A report stays while it has writes that a remote memory has neither accepted nor refused.
  { table: "report", time: "reported_at", only: "writes is null" },
  { table: "step_reward", time: "occurred_at" },
  { table: "observation", time: "occurred_at", only: "not teaches" },
  { table: "observed_call", time: "called_at" },
  { table: "observed_left_out", time: "day" }
]

/** The purged texts: tasks, callers' remarks on steps, and lessons that quote callers' texts. */
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
