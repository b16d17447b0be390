/* The name of a lane, in its own file, because the dashboard's page imports no schemas. */

/** Returns the namespace of a lane, in the caller's spelling. */
export const namespaceOf = (lane: string): string => lane.slice(lane.indexOf(":") + 1)
