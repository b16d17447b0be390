-- The ledger: every recommendation, its feedback, and what retention and the quota of text remember of them.

-- A recommendation and, in its nullable half, its feedback. `created_at` is the time inside the UUIDv7 id, so a look-up
-- by id reads one partition; `recorded_at` is the database's time, since the id's is that of a process. `candidates`
-- and `neighbours` are arrays of tuples: short to store and parse. `outcomes` is the combined outcome per model, null
-- before the first report. `task_vectors` is kept instead of a task's words: `[embedder, scale, base64]` of each
-- embedder. `guarantee_baseline_id` marks a decision that counts for a guarantee, and `guarantee_candidate_id` names
-- the other model of its trial. `is_shadow`: the caller runs its own default, whatever the answer is.
-- `cost_margin_usd` is what a decision reserves of a budget above its estimate; null without a budget. `task_key` is the
-- task that it is an attempt at: `id:` and the caller's task_id, or `chain:` and the recommendation of the first attempt;
-- null where that is not known. `attempt_number` counts from 1; null for a request that is not about attempts. `unit` is
-- `run`, null for a call. `prepaid_tokens` is what a call of each prepaid model was expected to use, tokens by model; null
-- where none was prepaid. `success_value_usd` is what a right result is worth; null where the threshold decided. `vote` is
-- the last vote on its answer: `thumb`, `comment`, `votedAt` and `revision`, a number among those of reports.
create table decision (
  account_id text not null check (account_id <> ''),
  created_at timestamptz not null,
  recommendation_id uuid not null,
  recorded_at timestamptz default now(),
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
  mean_similarity float8 check (mean_similarity between -1.01 and 1.01),
  high_similarity float8 check (high_similarity between -1.01 and 1.01),
  task_key text,
  attempt_number int2,
  unit text,
  prepaid_tokens jsonb,
  success_value_usd float8 check (success_value_usd >= 0 and success_value_usd < 'Infinity'),
  warnings jsonb not null,
  catalog_version text not null,
  latency_ms float8 not null check (latency_ms >= 0 and latency_ms < 'Infinity'),
  feedback_at timestamptz,
  outcomes jsonb,
  chosen_model_id text,
  outcome text,
  quality float8 check (quality >= 0 and quality <= 1),
  provenance text,
  error_cause text,
  teaches boolean,
  is_late boolean,
  actual_cost_usd float8 check (actual_cost_usd >= 0 and actual_cost_usd < 'Infinity'),
  computed_cost_usd float8,
  input_tokens bigint check (input_tokens >= 0),
  cached_input_tokens bigint,
  output_tokens bigint check (output_tokens >= 0),
  reasoning_tokens bigint,
  actual_latency_ms float8 check (actual_latency_ms >= 0 and actual_latency_ms < 'Infinity'),
  time_to_first_token_ms float8,
  vote jsonb,
  primary key (account_id, created_at, recommendation_id),
  check (num_nulls(feedback_at, chosen_model_id, outcome, quality, provenance, teaches, is_late) in (0, 7))
) partition by range (created_at);
call secure_table('decision');

-- The claims of feedbacks: `report` is what the feedback under a key said, without its words, and `response` its planned
-- answer; `written`, what the statement that settled it wrote to memory, completes the answer.
create table feedback_key (
  account_id text not null check (account_id <> ''),
  idempotency_key text not null,
  fingerprint text not null,
  report jsonb,
  response jsonb,
  written jsonb,
  created_at timestamptz not null,
  primary key (account_id, idempotency_key)
);
call secure_table('feedback_key');

-- Orders the reports of all copies; no copy's clock is used.
create sequence report_revision;
grant usage on sequence report_revision to sextant_app;

-- The bytes of text that an account was sent between the row before and `until`, the words of its tasks in a column of
-- their own; 0 once they are deleted. The service may read it over all accounts, as it holds no text.
create table text_bucket (
  account_id text not null check (account_id <> ''),
  until timestamptz not null,
  task_bytes bigint not null check (task_bytes >= 0),
  other_bytes bigint not null check (other_bytes >= 0),
  primary key (account_id, until)
);
call secure_table('text_bucket');
grant select on text_bucket to sextant_service;
create policy buckets_to_owner on text_bucket for select to current_user using (true);
create policy buckets_to_service on text_bucket for select to sextant_service using (true);

-- What retention remembers between two sweeps, in the one row of the service's own account: the database's time at the
-- last sweep, and when that time last made a step that retention does not trust.
create table retention_state (
  account_id text not null check (account_id <> ''),
  seen_at timestamptz not null,
  jumped_at timestamptz,
  primary key (account_id)
);
call secure_table('retention_state');

-- What the owner may see of all accounts while it purges: only what is older than the shortest retention
-- (`retentionDaysMin`), and only in a transaction that says so.
create policy old_to_owner on decision for select to current_user
  using (current_setting('app.retention', true) = 'on' and created_at < now() - interval '30 days');
create policy old_to_owner on feedback_key for select to current_user
  using (current_setting('app.retention', true) = 'on' and created_at < now() - interval '30 days');
create policy old_to_owner on step_reward for select to current_user
  using (current_setting('app.retention', true) = 'on' and occurred_at < now() - interval '30 days');
create policy old_to_owner on reinforcement for select to current_user
  using (current_setting('app.retention', true) = 'on' and told_at < now() - interval '30 days');
create policy old_to_owner on observation for select to current_user
  using (current_setting('app.retention', true) = 'on' and occurred_at < now() - interval '30 days');
create policy old_to_owner on outbox for select to current_user
  using (current_setting('app.retention', true) = 'on' and refused_at < now() - interval '30 days');
