/* Migration 10 adds the cost of the reasoner to decisions and their figures. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The cost of asking the reasoner, in USD: null where it was not asked, as in all earlier decisions. A
 * trigger of its own copies it to the figures, after the trigger that makes their row (triggers run by name),
 * and only where there is a cost.
 */
export const reasonerCost = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table decision
    add column reasoner_cost_usd float8 check (reasoner_cost_usd >= 0 and reasoner_cost_usd < 'Infinity')`
  yield* sql`alter table decision_figures add column reasoner_cost_usd float8`
  yield* sql`
    create function keep_reasoner_cost() returns trigger language plpgsql as $$
    begin
      update decision_figures set reasoner_cost_usd = new.reasoner_cost_usd
      where account_id = new.account_id and created_at = new.created_at
        and recommendation_id = new.recommendation_id;
      return null;
    end $$`
  yield* sql`
    create trigger keep_reasoner_cost after insert on decision
    for each row when (new.reasoner_cost_usd is not null) execute function keep_reasoner_cost()`
})
