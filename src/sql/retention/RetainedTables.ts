/** How long decisions and what belongs to them are kept, days (design section 5). */
export const retentionDays = 400

/**
 * Least that can be asked for, days: four times as long as feedback counts in full, so that a slip of the
 * hand purges nothing that is still being told. The database itself shows a purge nothing younger.
 */
export const retentionDaysMin = 30

/** A table whose rows lose their meaning with their decision. */
export interface RetainedTable {
  readonly table: string
  /** The column that says when the row was made. */
  readonly time: string
  /** How old a row is, as SQL, where that is not `time` alone. */
  readonly age?: string
  /** Which of the old rows go; all when absent. */
  readonly only?: string
}

/**
 * What is purged row by row, beside the ledger's partitions. `decision` for what lies in its default
 * partition; its figures go with it by trigger. Memory stays: it holds no task, weighs less as it ages, and
 * what never taught is all that nobody asks for again. An outbox's row is purged only if it was refused.
 */
export const retainedTables: ReadonlyArray<RetainedTable> = [
  // A copy whose clock is behind dates decisions into the past: they are kept from when they were recorded.
  { table: "decision", time: "created_at", age: "greatest(created_at, recorded_at)" },
  { table: "feedback_key", time: "created_at" },
  { table: "step_reward", time: "occurred_at" },
  { table: "reinforcement", time: "told_at" },
  { table: "observation", time: "occurred_at", only: "not teaches" },
  { table: "outbox", time: "refused_at", only: "refused_at is not null" }
]
