-- The triggers, after the functions that they call.

-- Those of decisions are not called for rows of statements that say that there is nothing to do for them.
create trigger keep_decision_figures after insert or update or delete on decision for each row
  when (current_setting('app.figures', true) is distinct from 'written')
  execute function keep_decision_figures();

create trigger keep_spend after insert on decision for each row
  when (current_setting('app.spend', true) is distinct from 'none')
  execute function keep_spend();
create trigger keep_spend_reported
  after update of outcomes, feedback_at, actual_cost_usd, computed_cost_usd on decision for each row
  when (current_setting('app.spend', true) is distinct from 'none'
    and (new.outcomes is distinct from old.outcomes or new.feedback_at is distinct from old.feedback_at))
  execute function keep_spend();
