/* Migration 15 adds what several reports of one decision need to count as one outcome. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applicationRole } from "../AccountScope.ts"

/**
 * What it takes for several reports of a decision to teach as one. `outcomes`: the combined outcome per
 * model, null before the first report. `report`: what the feedback under a key said, without its words. The
 * sequence orders the reports of all copies; no copy's clock is used.
 */
export const reports = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table decision add column outcomes jsonb`
  yield* sql`alter table feedback_key add column report jsonb`
  yield* sql`create sequence report_revision`
  yield* sql`grant usage on sequence report_revision to ${sql(applicationRole)}`
})
