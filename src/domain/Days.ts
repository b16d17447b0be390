/* Days as numbers and as text, without Effect: the page in a browser takes them from here. */

/** A day, in milliseconds. */
export const dayMs = 86_400_000

/** The day of a time in UTC, YYYY-MM-DD. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
