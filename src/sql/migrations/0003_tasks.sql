-- Which task a decision is an attempt at: `id:` and the caller's task_id, or `chain:` and the recommendation of the first
-- attempt; null where that is not known. `attempt_number` counts from 1; null for a request that is not about attempts.
alter table decision add column task_key text, add column attempt_number int2;
alter table decision_figures add column task_key text, add column attempt_number int2;
