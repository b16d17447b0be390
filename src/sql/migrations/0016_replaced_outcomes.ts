/* Migration 16 adds the revisions by which a later report replaces an outcome. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Which report of its decision last set an outcome, and which one its label comes from: a report of a higher
 * revision replaces it. And whether its bill is far above every candidate's estimate.
 */
export const replacedOutcomes = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table observation
    add column revision bigint not null default 0,
    add column verdict_revision bigint not null default 0,
    add column is_cost_outlier boolean not null default false`
})
