-- What statements filter, join and sum of every decision, in narrow rows: over a quarter of a million decisions 100 MB
-- are read in a tenth of a second. The nullable half and the flags before `lane` say what its reports come to.
-- `guarantee_baseline_id` marks a decision that counts for a guarantee, until an outcome of it is undone;
-- `guarantee_candidate_id` names the other model of its trial. `is_shadow`: the caller runs its own default, whatever the
-- answer is. `task_key` is the task that it is an attempt at: `id:` and the caller's task_id, or `chain:` and the
-- recommendation of the first attempt; null where that is not known; a report may name another. `attempt_number` counts
-- from 1; 0 where no attempt was advised; null for a request that is not about attempts. `waiting_usd` is what the
-- decision costs until a report comes (`domain/account/Spending`). `candidates`: `ledger/sql/PackedCandidates`.
-- `is_broken`: the infrastructure broke the call.

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
