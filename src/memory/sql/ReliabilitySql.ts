/* The reliability of an outcome as an SQL expression. */
import type { SqlClient } from "effect/sql"
import { reliabilityPrior } from "../index/Entry.ts"
import type { MemorySettings } from "../MemorySettings.ts"

/** `reliabilityOf`, for rows of `observation` whose age is measured from `now`. */
export const reliabilitySql = (
  sql: SqlClient.SqlClient,
  now: Date,
  { reliabilityHalfLifeDays }: MemorySettings
) => {
  const { mean, weight } = reliabilityPrior
  return sql`entry_reliability(votes_up, votes_down, occurred_at, ${now}::timestamptz,
    ${reliabilityHalfLifeDays}::float8, ${mean * weight}::float8, ${weight}::float8)`
}
