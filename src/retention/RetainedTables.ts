/* The retention period, and the tables whose rows belong to a decision. */

/** The default retention of decisions and their rows, days. Chosen. */
export const retentionDays = 400

/**
 * The shortest retention that can be configured, days: four times as long as feedback counts in full, so that
 * a mistyped number drops no decision that still gets feedback. The database hides younger rows from a purge.
 */
export const retentionDaysMin = 30

/** A table whose rows lose their meaning with their decision. */
export interface RetainedTable {
  readonly table: string
  /** The column that says when the row was made. */
  readonly time: string
  /** The time that decides a row's age, in SQL, where it is not `time` alone. */
  readonly age?: string
  /** The condition on the old rows that are deleted; all when absent. */
  readonly only?: string
}

/**
 * The tables that are purged row by row, beside the ledger's partitions. `decision` is here for its default
 * partition; a trigger deletes its figures with it. Of memory only outcomes that never taught are purged: the
 * others hold no task and weigh less as they age. An outbox's row is purged only if it was refused.
 */
export const retainedTables: ReadonlyArray<RetainedTable> = [
  // A copy whose clock is behind dates decisions into the past: their age counts from when they were
  // recorded.
  { table: "decision", time: "created_at", age: "greatest(created_at, recorded_at)" },
  { table: "feedback_key", time: "created_at" },
  { table: "step_reward", time: "occurred_at" },
  { table: "reinforcement", time: "told_at" },
  { table: "observation", time: "occurred_at", only: "not teaches" },
  { table: "outbox", time: "refused_at", only: "refused_at is not null" }
]
