/* The tables of the ledger. */

/**
 * The tables in monthly partitions by `created_at`, in the order in which rows are deleted. Rows of
 * `decision_figures` are deleted first, because a report locks one of them, and must find none if its
 * decision is being deleted.
 */
export const partitionedTables: ReadonlyArray<string> = ["decision_figures", "outcome", "decision"]
