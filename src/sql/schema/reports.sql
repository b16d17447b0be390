-- Fields of every decision that statements filter, join and sum. The rows are narrow: a quarter of a million decisions are
-- 100 MB, read in a tenth of a second. The columns from `feedback_at` to `chosen_position` and the flags from `is_late` to
-- `is_broken` are the result of the reports.
-- - `guarantee_baseline_id` marks a decision that counts for a guarantee, until one of its outcomes is undone.
-- - `guarantee_candidate_id` is the other model of the guarantee's trial.
-- - `is_shadow`: the caller runs its own default model, whatever the answer is.
-- - `is_broken`: the infrastructure broke the call.
-- - `task_key` is the task that the decision attempts: `id:` and the caller's task_id, or `chain:` and the recommendation of
--   the first attempt. It is null if the task is not known. A report may name another task.
-- - `attempt_number` counts from 1. It is 0 if no attempt was advised, and null for a request that is not about attempts.
-- - `waiting_usd` is the cost of the decision until a report comes (`domain/account/Spending`).
-- - `candidates` is packed by `ledger/sql/PackedCandidates`.

create table decision_figures (
  account_id text not null check (account_id <> ''),
  created_at timestamptz not null,
  recommendation_id uuid not null,
  propensity float8 not null check (propensity > 0 and propensity <= 1),
  cost_recommended_usd float8 not null check (cost_recommended_usd >= 0 and cost_recommended_usd < 'Infinity'),
  cost_premium_usd float8 not null check (cost_premium_usd >= 0 and cost_premium_usd < 'Infinity'),
  cost_declared_usd float8 check (cost_declared_usd >= 0 and cost_declared_usd < 'Infinity'),
  reasoner_cost_usd float8 check (reasoner_cost_usd >= 0 and reasoner_cost_usd < 'Infinity'),
  waiting_usd float8 not null,
  is_escalated boolean not null,
  is_exploration boolean not null,
  is_epsilon boolean not null,
  is_shadow boolean not null default false,
  is_late boolean not null default false,
  teaches boolean not null default false,
  is_trusted boolean not null default false,
  is_broken boolean not null default false,
  lane text not null,
  cluster text not null,
  recommended_model_id text not null,
  baseline_model_id text,
  guarantee_baseline_id text,
  guarantee_candidate_id text,
  feedback_at timestamptz,
  provenance text,
  success float8,
  quality float8 check (quality >= 0 and quality <= 1),
  actual_cost_usd float8 check (actual_cost_usd >= 0 and actual_cost_usd < 'Infinity'),
  computed_cost_usd float8,
  taught_prediction float8,
  chosen_model_id text,
  chosen_position int2,
  candidates bytea not null,
  task_key text,
  attempt_number int2,
  primary key (account_id, created_at, recommendation_id)
) partition by range (created_at);
call secure_table('decision_figures');
