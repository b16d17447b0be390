/** Tables in monthly partitions by `created_at`; the decisions first, whose trigger writes the other. */
export const partitionedTables: ReadonlyArray<string> = ["decision", "decision_figures"]
