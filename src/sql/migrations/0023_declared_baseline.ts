/* Migration 23 adds the declared baseline of a decision to its figures. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The model that a decision named as its baseline, beside the baseline's estimate. A trigger reads it from
 * the decision, whose row is written just before in the same transaction, whichever version writes it.
 * Earlier rows stay null: filling them would hold locks that feedback waits for, so reports look these up.
 */
export const declaredBaseline = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table decision_figures add column baseline_model_id text`
  yield* sql`
    create function keep_declared_baseline() returns trigger language plpgsql as $$
    begin
      new.baseline_model_id := (
        select d.baseline_model_id from decision d where d.account_id = new.account_id
          and d.created_at = new.created_at and d.recommendation_id = new.recommendation_id);
      return new;
    end $$`
  yield* sql`
    create trigger keep_declared_baseline before insert on decision_figures
    for each row when (new.cost_declared_usd is not null) execute function keep_declared_baseline()`
})
