/* Migration 24 adds the function that writes decisions of one account in one statement. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"

/** The columns of an insert with their types, as this migration finds them in `decision`. */
const columns = {
  account_id: "text", created_at: "timestamptz", recommendation_id: "uuid", workflow_id: "text", lane: "text",
  user_id: "text", task_excerpt: "text", task_type: "text", difficulty: "text", tags: "jsonb",
  recommended_model_id: "text", predicted_success: "float8", threshold: "float8", decision_basis: "text",
  selection_policy: "text", propensity: "float8", is_exploration: "boolean", is_escalated: "boolean",
  cost_recommended_usd: "float8", cost_premium_usd: "float8", baseline_model_id: "text",
  cost_declared_usd: "float8", candidates: "jsonb", neighbours: "jsonb", warnings: "jsonb",
  catalog_version: "text", latency_ms: "float8", mean_similarity: "float8", high_similarity: "float8",
  forecasts: "jsonb", reasoner_cost_usd: "float8", task_vectors: "jsonb"
}
const names = Object.keys(columns).join(", ")
const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`).join(", ")

/**
 * `append_decisions` takes rows that may be there already, and leaves those as they are. A row of another
 * account than `account` is refused, and the others of its call with it. The texts of new rows are added to
 * the existing bucket of their time, when it may have been counted already: the row is older than 30 s, or
 * lies in a bucket. Such rows come from a spool after an outage, or from a copy whose clock is behind; an
 * emptied bucket is then checked again. The lock of the account's texts is taken after the insert: a count
 * that ran before has not seen the rows, and its bucket is visible here; a later count sees the rows.
 */
export const decisionGroups = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* accountFunction(sql, {
    name: "append_decisions",
    parameters: "decisions json",
    returns: "void",
    declare: `
      times timestamptz[];
      sizes int[];
      counted_from timestamptz;`,
    body: `
      with written as (
        insert into decision (${names})
        select ${names} from json_to_recordset(decisions) as each (${types})
        on conflict do nothing returning created_at, octet_length(task_excerpt) as bytes
      )
      select array_agg(created_at), array_agg(bytes) into times, sizes from written where bytes > 0;
      if times is null then return; end if;
      -- Rows up to this time may have been counted already.
      select greatest(max(until), now() - interval '30 seconds') into counted_from
        from text_bucket where account_id = account;
      if (select min(each) from unnest(times) each) > counted_from then return; end if;
      perform pg_advisory_xact_lock(hashtextextended('sextant.texts:' || account, 0));
      update text_bucket b set task_bytes = b.task_bytes + late.bytes
      from (
        select covering.until, sum(t.bytes) as bytes
        from unnest(times, sizes) as t (created_at, bytes), lateral (
          select min(until) as until from text_bucket
          where account_id = account and until >= t.created_at
        ) as covering
        where covering.until is not null group by covering.until
      ) as late
      where b.account_id = account and b.until = late.until;`
  })
})
