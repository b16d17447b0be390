/* The name of a lane. A file of its own, because the dashboard's page imports no schemas. */

/** Returns the namespace of a lane, as callers spell it. */
export const namespaceOf = (lane: string): string => lane.slice(lane.indexOf(":") + 1)
