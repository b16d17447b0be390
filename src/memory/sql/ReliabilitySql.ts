/* The reliability of an outcome, and what its age leaves of it, as SQL expressions. */
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

/** `decayOf`, for rows of `observation` whose age is measured from `now`. */
export const decaySql = (
  sql: SqlClient.SqlClient,
  now: Date,
  { decayFloor, decayHalfLifeDays }: MemorySettings
) =>
  sql`greatest(${decayFloor}::float8, exp(-ln(2) / ${decayHalfLifeDays}::float8
    * greatest(0, extract(epoch from ${now}::timestamptz - occurred_at)::float8 / 86400)))`
