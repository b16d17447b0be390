/* Days in ms and as text. Imports no Effect, because the dashboard's page imports this file. */

export const dayMs = 86_400_000

/** Returns the UTC day of a time, as YYYY-MM-DD. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
