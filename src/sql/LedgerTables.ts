/* The tables of the ledger. */

/**
 * The tables in monthly partitions by `created_at`, in the order in which rows are deleted. Each of these
 * tables has at most one row per decision. The figures come first, because a report locks the figures of its
 * decision. So a report finds no figures if its decision is being deleted.
 */
export const partitionedTables: ReadonlyArray<string> = ["decision_figures", "outcome", "decision"]
