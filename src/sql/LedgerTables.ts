/* The ledger's tables. */

/**
 * The tables in monthly partitions by `created_at`, each with one row at most of a decision. That of figures
 * comes first: a report is written under the lock of its decision's figures, so that one that comes while its
 * decision is deleted finds none.
 */
export const partitionedTables: ReadonlyArray<string> = ["decision_figures", "outcome", "decision"]
