-- Recommendations for runs of agents.

-- `run`; null for a call.
alter table decision add column unit text;
