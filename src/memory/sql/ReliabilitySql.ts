/* SQL expressions for an outcome's reliability and decay. */
import type { SqlClient } from "effect/sql"
import { reliabilityPrior } from "../index/Entry.ts"
import type { MemorySettings } from "../MemorySettings.ts"

/** Maximum age in a reliability's formula, days: for a far higher age, SQL's `exp` fails by underflow. */
const ageDaysMax = 73_000

/** Writes the SQL of `reliabilityOf` for rows of `observation`, with ages at `now`. */
export const reliabilitySql = (
  sql: SqlClient.SqlClient,
  now: Date,
  { reliabilityHalfLifeDays }: MemorySettings
) => {
  const { mean, weight } = reliabilityPrior
  const share = sql`(${mean * weight}::float8 + votes_up) / (${weight}::float8 + votes_up + votes_down)`
  return sql`(0.5 + (${share} - 0.5)
    * exp(-ln(2) / ${reliabilityHalfLifeDays}::float8 * least(${ageDaysMax}::float8,
      greatest(0, extract(epoch from ${now}::timestamptz - occurred_at)::float8 / 86400))))`
}

/** Writes the SQL of `decayOf` for rows of `observation`, with ages at `now`. */
export const decaySql = (
  sql: SqlClient.SqlClient,
  now: Date,
  { decayFloor, decayHalfLifeDays }: MemorySettings
) =>
  sql`greatest(${decayFloor}::float8, exp(-ln(2) / ${decayHalfLifeDays}::float8
    * greatest(0, extract(epoch from ${now}::timestamptz - occurred_at)::float8 / 86400)))`
