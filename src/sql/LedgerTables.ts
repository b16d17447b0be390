/* The tables of the ledger. */

/**
 * The tables in monthly partitions by `created_at`, in the order in which rows are deleted.
 * `decision_figures` comes first, because a report locks its row there, and finds none if the decision is
 * being deleted.
 */
export const partitionedTables: ReadonlyArray<string> = ["decision_figures", "outcome", "decision"]
