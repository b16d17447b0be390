/* The reliability of an outcome as an SQL expression. */
import type { SqlClient } from "effect/sql"
import { reliabilityPrior } from "../index/Entry.ts"
import type { MemorySettings } from "../MemorySettings.ts"

/** Two centuries: nothing is left by then, and to go on would end in an underflow, which is an error. */
const ageDaysMax = 73_000

/** `reliabilityOf`, spelled for rows of `observation` whose age is measured from `now`. */
export const reliabilitySql = (
  sql: SqlClient.SqlClient,
  now: Date,
  { reliabilityHalfLifeDays }: MemorySettings
) => {
  const { mean, weight } = reliabilityPrior
  return sql`(0.5
    + ((${mean * weight}::float8 + votes_up) / (${weight}::float8 + votes_up + votes_down) - 0.5)
    * exp(-ln(2) / ${reliabilityHalfLifeDays}::float8
      * least(${ageDaysMax}::float8,
        greatest(0, extract(epoch from ${now}::timestamptz - occurred_at)::float8 / 86400))))`
}
