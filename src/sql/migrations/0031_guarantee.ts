/* Migration 31 adds guarantees: an account's own, the decisions that count for one, and what they came to. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { appendDecisions } from "../functions/AppendDecisions.ts"
import { securedTable } from "../RowSecurity.ts"

/**
 * `guarantee_baseline_id` marks a decision that counts for a guarantee, and `guarantee_candidate_id` names
 * the other model of its trial. They stand with the decision and in its figures, which are read in the order
 * of their key: an index would be made under a lock. Earlier rows have neither, nor have those of older
 * copies.
 *
 * `guarantee_evidence` holds what decisions up to `folded_id` came to, so that each is read once for each
 * guarantee, and its evidence outlives it. The evidence is sums and test statistics; it names models alone.
 *
 * Rows of plain inserts, such as those of an import, get their figures by the trigger of migration 9, which
 * runs before this one (triggers run by name).
 */
export const guarantee = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table account_setting add column guarantee jsonb`
  yield* sql`alter table decision
    add column guarantee_baseline_id text, add column guarantee_candidate_id text`
  yield* sql`alter table decision_figures
    add column guarantee_baseline_id text, add column guarantee_candidate_id text`
  yield* accountFunction(sql, appendDecisions([
    { name: "is_shadow", type: "boolean", otherwise: "false" },
    { name: "guarantee_baseline_id", type: "text", otherwise: "null" },
    { name: "guarantee_candidate_id", type: "text", otherwise: "null" }
  ]))
  yield* sql`
    create function keep_guarantee() returns trigger language plpgsql as $$
    begin
      update decision_figures set guarantee_baseline_id = new.guarantee_baseline_id,
        guarantee_candidate_id = new.guarantee_candidate_id
      where account_id = new.account_id and created_at = new.created_at
        and recommendation_id = new.recommendation_id;
      return null;
    end $$`
  yield* sql`
    create trigger keep_guarantee after insert on decision for each row
    when (new.guarantee_baseline_id is not null
      and current_setting('app.figures', true) is distinct from 'written')
    execute function keep_guarantee()`
  yield* sql`
    create table guarantee_evidence (
      account_id text not null check (account_id <> ''),
      lane text not null,
      baseline_model_id text not null,
      max_quality_loss float8 not null check (max_quality_loss > 0 and max_quality_loss < 1),
      confidence float8 not null check (confidence > 0 and confidence < 1),
      folded_id uuid not null,
      evidence jsonb not null,
      updated_at timestamptz not null default now(),
      primary key (account_id, lane, baseline_model_id, max_quality_loss, confidence)
    )`
  yield* securedTable(sql, "guarantee_evidence")
})
