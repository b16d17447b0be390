import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Which report of its decision an outcome was last told by, and which one its label comes from: a telling of
 * a higher revision takes its place. And whether its bill is far above what any candidate was estimated at.
 */
export const replacedOutcomes = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table observation
    add column revision bigint not null default 0,
    add column verdict_revision bigint not null default 0,
    add column is_cost_outlier boolean not null default false`
})
