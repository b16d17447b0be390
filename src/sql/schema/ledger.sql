-- The ledger: every recommendation, and what its reports come to.

-- A recommendation, which stands still but for its words. `created_at` is the time inside the UUIDv7 id, so a look-up
-- by id reads one partition. `candidates` and `neighbours` are arrays of tuples: short to store and parse.
-- `task_vectors` is kept instead of a task's words: `[embedder, scale, base64]` of each embedder.
-- `guarantee_baseline_id` marks a decision that counts for a guarantee, and `guarantee_candidate_id` names the other
-- model of its trial. `is_shadow`: the caller runs its own default, whatever the answer is. `cost_margin_usd` is what a
-- decision reserves of a budget above its estimate; null without a budget. `task_key` is the task that it is an attempt
-- at: `id:` and the caller's task_id, or `chain:` and the recommendation of the first attempt; null where that is not
-- known. `attempt_number` counts from 1; 0 where no attempt was advised; null for a request that is not about attempts.
-- `unit` is `run`, null for a call. `prepaid_tokens` is what a call of each prepaid model was expected to use, tokens by
-- model; null where none was prepaid. `success_value_usd` is what a right result is worth; null where the threshold
-- decided.
create table decision (
  account_id text not null check (account_id <> ''),
  created_at timestamptz not null,
  recommendation_id uuid not null,
  workflow_id text,
  lane text not null,
  user_id text,
  task_excerpt text not null,
  task_vectors jsonb,
  task_type text not null,
  difficulty text not null,
  tags jsonb not null,
  recommended_model_id text not null,
  predicted_success float8 not null check (predicted_success >= 0 and predicted_success <= 1),
  threshold float8 not null check (threshold >= 0 and threshold <= 1),
  decision_basis text not null,
  selection_policy text not null,
  propensity float8 not null check (propensity > 0 and propensity <= 1),
  is_exploration boolean not null,
  is_escalated boolean not null,
  is_shadow boolean not null default false,
  guarantee_baseline_id text,
  guarantee_candidate_id text,
  cost_recommended_usd float8 not null check (cost_recommended_usd >= 0 and cost_recommended_usd < 'Infinity'),
  cost_margin_usd float8,
  cost_premium_usd float8 not null check (cost_premium_usd >= 0 and cost_premium_usd < 'Infinity'),
  baseline_model_id text,
  cost_declared_usd float8 check (cost_declared_usd >= 0 and cost_declared_usd < 'Infinity'),
  reasoner_cost_usd float8 check (reasoner_cost_usd >= 0 and reasoner_cost_usd < 'Infinity'),
  candidates jsonb not null,
  neighbours jsonb not null,
  forecasts jsonb not null default '[]',
  task_key text,
  attempt_number int2,
  unit text,
  prepaid_tokens jsonb,
  success_value_usd float8 check (success_value_usd >= 0 and success_value_usd < 'Infinity'),
  warnings jsonb not null,
  catalog_version text not null,
  latency_ms float8 not null check (latency_ms >= 0 and latency_ms < 'Infinity'),
  primary key (account_id, created_at, recommendation_id)
) partition by range (created_at);
call secure_table('decision');

-- What all reports of a decision come to: the combined outcome of each model, and the task that they name. Of an account
-- with a budget or without, what its calls have cost: `domain/account/Spending` has the meaning of the four sums.
create table outcome (
  account_id text not null check (account_id <> ''),
  created_at timestamptz not null,
  recommendation_id uuid not null,
  outcomes jsonb not null,
  reported_task_key text,
  billed_usd float8 not null,
  billed_estimate_usd float8 not null,
  waiting_usd float8 not null,
  left_out_usd float8 not null,
  primary key (account_id, created_at, recommendation_id)
) partition by range (created_at);
call secure_table('outcome');

-- Orders the reports of an account on all copies: whoever appends takes the next revisions, and the row's lock until the
-- end of its transaction, so that revisions commit in order. Whoever writes what follows from reports takes the lock too.
create table account_log (
  account_id text not null check (account_id <> ''),
  revision bigint not null default 0 check (revision >= 0),
  primary key (account_id)
);
call secure_table('account_log');

-- Every report of a feedback, which stands still: `body` is what it said, without its words, and `response` its answer.
-- `writes` are what a memory elsewhere has not taken yet, in order; null when it lacks nothing, or is here. `refused` are
-- those that it will never take: they are kept, and not sent again.
create table report (
  account_id text not null check (account_id <> ''),
  revision bigint not null check (revision > 0),
  recommendation_id uuid not null,
  idempotency_key text not null check (idempotency_key <> ''),
  fingerprint text not null,
  reported_at timestamptz not null default now(),
  body jsonb not null,
  response jsonb not null,
  writes jsonb,
  refused jsonb,
  primary key (account_id, revision)
);
-- Statements that look for keys say the condition, which keeps others from this index (`observation_by_version`).
create unique index report_key on report (account_id, idempotency_key) where idempotency_key <> '';
create index report_waiting on report (account_id, revision) where writes is not null;
call secure_table('report');
