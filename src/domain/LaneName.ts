/* The name of a lane, without what a page has no need of. */

/** The namespace of a lane, as callers name it. */
export const namespaceOf = (lane: string): string => lane.slice(lane.indexOf(":") + 1)
