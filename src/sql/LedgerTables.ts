/* The tables of the ledger. */

/**
 * The tables in monthly partitions by `created_at`, in the order in which rows are deleted. The figures come
 * first, because a report locks them, and so finds none if its decision is being deleted.
 */
export const partitionedTables: ReadonlyArray<string> = ["decision_figures", "outcome", "decision"]
