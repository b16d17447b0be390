/** The tables in monthly partitions by `created_at`. `decision` comes first: its trigger writes the other. */
export const partitionedTables: ReadonlyArray<string> = ["decision", "decision_figures"]
