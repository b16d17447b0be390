/* The ledger's tables. */

/**
 * The tables in monthly partitions by `created_at`, in the order of deletion. Each has at most one row of a
 * decision. The figures come first, because a report locks them. So it finds none if its decision is being
 * deleted.
 */
export const partitionedTables: ReadonlyArray<string> = ["decision_figures", "outcome", "decision"]
