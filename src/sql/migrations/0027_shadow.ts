/* Migration 27 marks decisions that were asked in shadow. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { accountFunction } from "../AccountFunction.ts"
import { appendDecisions } from "../functions/AppendDecisions.ts"

/**
 * The mark of a decision whose caller runs its own default, whatever the answer is: with the decision, and
 * in its figures, since savings leave it out. Earlier rows are not in shadow, nor are those of copies that do
 * not know the mark.
 *
 * `append_decisions` writes both. Rows of plain inserts, such as those of an import, get their figures by the
 * trigger of migration 9, which runs before this one (triggers run by name).
 */
export const shadow = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table decision add column is_shadow boolean not null default false`
  yield* sql`alter table decision_figures add column is_shadow boolean not null default false`
  yield* accountFunction(sql, appendDecisions([{ name: "is_shadow", type: "boolean", otherwise: "false" }]))
  yield* sql`
    create function keep_shadow() returns trigger language plpgsql as $$
    begin
      update decision_figures set is_shadow = true
      where account_id = new.account_id and created_at = new.created_at
        and recommendation_id = new.recommendation_id;
      return null;
    end $$`
  yield* sql`
    create trigger keep_shadow after insert on decision for each row
    when (new.is_shadow and current_setting('app.figures', true) is distinct from 'written')
    execute function keep_shadow()`
})
