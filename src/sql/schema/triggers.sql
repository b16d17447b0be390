-- The triggers, after the functions that they call.

create trigger keep_decision_figures after insert or update or delete on decision
  for each row execute function keep_decision_figures();

create trigger keep_spend after insert on decision for each row execute function keep_spend();
create trigger keep_spend_reported
  after update of outcomes, feedback_at, actual_cost_usd, computed_cost_usd on decision for each row
  when (new.outcomes is distinct from old.outcomes or new.feedback_at is distinct from old.feedback_at)
  execute function keep_spend();
