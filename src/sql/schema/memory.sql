-- Memory: outcomes and what the service learned from them, per lane. Every key starts with the account and the lane.
-- Versions count per lane, and the writing transaction takes them, so they commit in order. `between` also refuses NaN and
-- Infinity, which PostgreSQL orders above every number.

-- `rewritten_version` is the version at which outcomes were last deleted. An older index of the lane is then read anew.
create table lane (
  account_id text not null,
  lane text not null,
  version bigint not null default 0 check (version >= 0),
  taught bigint not null default 0 check (taught >= 0),
  rewritten_version bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (account_id, lane)
);
call secure_table('lane');

-- Numbers about a lane's own predictions, which decide how far it trusts them. `spread_evidence` has the log-likelihood
-- of outcomes after judged attempts, for each spread of difficulty that `stats/DifficultySpread` compares.
create table lane_numbers (
  account_id text not null check (account_id <> ''),
  lane text not null,
  outcomes bigint not null check (outcomes >= 0),
  local_share float8 not null check (local_share between 0 and 1),
  spread_evidence float8[],
  primary key (account_id, lane)
);
call secure_table('lane_numbers');

-- Outcomes. `revision` is the report that last set the outcome, and `verdict_revision` the report that brought its label.
-- A report with a higher revision replaces them. `voted_up` and `voted_down` are the outcomes that this outcome's label
-- voted on. They are null before the vote, and after the votes were taken back. `import_id` is null for a reported
-- outcome. It has no index, because the outcomes of an import are read in the order of their ids.
create table observation (
  account_id text not null,
  lane text not null,
  observation_id uuid not null,
  version bigint not null check (version > 0),
  revision bigint not null default 0,
  verdict_revision bigint not null default 0,
  teaches boolean not null,
  task_type text not null,
  difficulty text not null,
  cluster text not null,
  tags text[] not null,
  user_id text,
  model_id text not null,
  outcome text not null check (outcome in ('success', 'partial', 'failure')),
  quality float8 not null check (quality between 0 and 1),
  provenance text not null check (provenance in ('gate', 'judge', 'human', 'none', 'assertion')),
  provenance_weight float8 not null check (provenance_weight between 0 and 1),
  propensity float8 check (propensity between 0 and 1),
  input_tokens float8 check (input_tokens between 0 and 1e15),
  output_tokens float8 check (output_tokens between 0 and 1e15),
  cost_usd float8 check (cost_usd between 0 and 1e15),
  is_cost_outlier boolean not null default false,
  latency_ms float8 check (latency_ms between 0 and 1e15),
  time_to_first_token_ms float8,
  votes_up int not null default 0 check (votes_up >= 0),
  votes_down int not null default 0 check (votes_down >= 0),
  voted_up uuid[],
  voted_down uuid[],
  import_id uuid,
  occurred_at timestamptz not null,
  primary key (account_id, lane, observation_id)
);
-- Every row meets the condition `version > 0`, and only the statements for this index repeat it. The condition keeps all
-- other statements from this index. Before a table is analysed, PostgreSQL's planner cannot tell the indexes of a lane
-- apart. The indexes `vote_by_day`, `step_reward_newest` and `report_key` have such a condition for the same reason.
create index observation_by_version on observation (account_id, lane, version) where version > 0;
call secure_table('observation');

create table observation_vector (
  account_id text not null,
  lane text not null,
  observation_id uuid not null,
  embedder text not null,
  scale real not null check (scale between 0 and 1),
  vector bytea not null,
  primary key (account_id, lane, observation_id, embedder)
);
-- Vectors are stored plain and out of line. They do not compress, and reading is quicker so.
alter table observation_vector alter column vector set storage external;
call secure_table('observation_vector');

-- The words of outcomes. Only a memory without a ledger keeps them. An embeddings endpoint that is switched on or changed
-- later needs them.
create table observation_text (
  account_id text not null check (account_id <> ''),
  lane text not null,
  observation_id uuid not null,
  task text not null,
  kept_at timestamptz not null default now(),
  primary key (account_id, lane, observation_id)
);
create index observation_text_kept on observation_text (account_id, kept_at);
call secure_table('observation_text');

-- The outcome record of each cluster and model of a lane.
create table outcome_record (
  account_id text not null,
  lane text not null,
  cluster text not null,
  model_id text not null,
  outcomes bigint not null check (outcomes >= 0),
  last_cost_usd float8,
  last_input_tokens float8,
  last_output_tokens float8,
  last_quality float8,
  reinforcement int not null default 0,
  updated_at timestamptz not null,
  primary key (account_id, lane, cluster, model_id)
);
call secure_table('outcome_record');

-- Votes of an actor on an outcome in a day. They are limited, so that one actor cannot move an outcome without bound.
-- `actor` is a user's id, or empty.
create table vote (
  account_id text not null check (account_id <> ''),
  lane text not null,
  observation_id uuid not null,
  actor text not null,
  day date not null,
  votes int not null check (votes > 0),
  primary key (account_id, lane, observation_id, actor, day)
);
create index vote_by_day on vote (account_id, lane, day) where votes > 0;
call secure_table('vote');

create table lesson (
  account_id text not null,
  lane text not null,
  lesson_id text not null,
  lesson_type text not null check (lesson_type in ('success', 'failure')),
  scope text not null check (scope in ('run', 'session', 'account')),
  topic text not null default 'outcome',
  content text not null,
  cluster text not null,
  model_id text not null,
  user_id text,
  error_fingerprint text,
  error_type text,
  error_headline text,
  error_tokens text[],
  importance float8 not null check (importance between 0 and 1),
  base_confidence float8 not null check (base_confidence between 0 and 1),
  confidence float8 not null check (confidence between 0 and 1),
  is_superseded boolean not null default false,
  is_reflected boolean not null default false,
  occurred_at timestamptz not null,
  primary key (account_id, lane, lesson_id)
);
create index lesson_failures on lesson (account_id, lane, occurred_at desc) where lesson_type = 'failure';
call secure_table('lesson');

create table step_reward (
  account_id text not null,
  lane text not null,
  recommendation_id text not null,
  step_id text not null,
  step_name text,
  cluster text not null,
  model_id text not null,
  outcome text not null check (outcome in ('success', 'partial', 'failure')),
  signal float8 not null check (signal between -1 and 1),
  rationale text,
  directive_hint text,
  occurred_at timestamptz not null,
  primary key (account_id, lane, recommendation_id, model_id, step_id)
);
-- For reflection, which reads the newest steps of a lane. `observation_by_version` explains the condition.
create index step_reward_newest on step_reward (account_id, lane, occurred_at desc) where signal >= -1;
call secure_table('step_reward');

-- Reflections that are due. The transaction that causes a reflection writes its row, and the first process to claim it
-- does the work. The service looks for due reflections of all accounts. The application role sees only its own account's.
create table reflection (
  account_id text not null check (account_id <> ''),
  lane text not null,
  crossing text not null,
  observation_id uuid not null,
  requested_at timestamptz not null default now(),
  reflected_at timestamptz,
  reflections int not null default 0 check (reflections >= 0),
  primary key (account_id, lane, crossing)
);
create index reflection_due on reflection (requested_at) where reflected_at is null;
create index reflection_observation on reflection (account_id, lane, observation_id);
call secure_table('reflection');
create policy due_to_owner on reflection for select to current_user using (true);
grant select on reflection to sextant_service;
create policy due_to_service on reflection for select to sextant_service using (reflected_at is null);

-- Lanes of a remote memory with writes that wait: the `writes` of their reports, in order. Sending goes on at `next_at`.
-- Until then only the process that set `next_at` may send. For the first waiting write, `attempts` counts all failures,
-- and `bad_answers` only failures while the memory's backend worked.
create table delivery (
  account_id text not null check (account_id <> ''),
  lane text not null,
  next_at timestamptz not null default now(),
  attempts int not null default 0 check (attempts >= 0),
  bad_answers int not null default 0 check (bad_answers >= 0),
  primary key (account_id, lane)
);
call secure_table('delivery');

-- One run of `sextant import` for a lane: the names of its files, and the numbers of rows read, added and left out by
-- reason. `command` is a SHA-256 of files and options. The same command finds an interrupted run by it and goes on.
-- `claim` is the process that writes. A later process may replace it.
create table import (
  account_id text not null check (account_id <> ''),
  import_id uuid not null,
  lane text not null,
  command text not null,
  claim uuid not null,
  state text not null check (state in ('running', 'done', 'undoing')),
  files jsonb not null,
  rows_read bigint not null default 0 check (rows_read >= 0),
  added bigint not null default 0 check (added >= 0),
  left_out jsonb not null default '{}',
  started_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (account_id, import_id)
);
call secure_table('import');
