/* The length of a day, and days as text. This file does not import Effect, because the dashboard's page
   imports this file. */

/** A day, in milliseconds. */
export const dayMs = 86_400_000

/** Returns the UTC day of a time, as YYYY-MM-DD. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
