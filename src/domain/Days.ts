/* The length of a day, and days as text. Without Effect, because the dashboard's page imports this file. */

/** A day, in milliseconds. */
export const dayMs = 86_400_000

/** The day of a time in UTC, YYYY-MM-DD. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
