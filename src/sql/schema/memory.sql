-- Memory: what an account's outcomes taught, per lane. Every key starts with the account and the lane; versions count
-- per lane and are taken in the writing transaction, so that they commit in order. `between` refuses NaN and Infinity,
-- which PostgreSQL orders above every number; so do the comparisons with 'Infinity'.

-- `rewritten_version`: the version at which outcomes were last deleted, from which an index of the lane starts again.
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

-- What a lane learned about its own predictions. `spread_evidence`: log-likelihoods of outcomes after judged attempts,
-- one for each spread that `stats/DifficultySpread` compares.
create table lane_numbers (
  account_id text not null check (account_id <> ''),
  lane text not null,
  outcomes bigint not null check (outcomes >= 0),
  local_share float8 not null check (local_share between 0 and 1),
  spread_evidence float8[],
  primary key (account_id, lane)
);
call secure_table('lane_numbers');

-- Outcomes. `revision` is that of the report of its decision that last set the outcome, and `verdict_revision` the one
-- that its label came with: a report of a higher revision replaces it. `voted_up` and `voted_down` are the outcomes on which
-- its label has voted; null before it has, and after its votes were taken back. `import_id` is null for an outcome that was
-- reported here; it has no index, since an import's outcomes are found in the order of their ids.
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
-- The condition, which every row meets and these statements alone say, keeps other statements of a table that was never
-- analysed from this index: to the planner all indexes of a lane then look alike. So it is of `vote_by_day`,
-- `step_reward_newest` and `report_key`.
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
-- Vectors do not compress; reading them out of line and plain is quicker.
alter table observation_vector alter column vector set storage external;
call secure_table('observation_vector');

-- The words of outcomes, kept by a memory that has no ledger beside it: an embeddings endpoint that is switched on
-- later, or changed, asks for them.
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

-- The durable outcome record: one for each cluster and model of a lane.
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

-- How often an actor has voted on an entry in a day, so that one actor cannot move an entry without bound. `actor` is
-- a user's id, and empty without one.
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
-- Reflection reads the newest steps of a lane that may hold many, and says the condition.
create index step_reward_newest on step_reward (account_id, lane, occurred_at desc) where signal >= -1;
call secure_table('step_reward');

-- Reflections that are due: written in the transaction that causes them and claimed by whichever process comes first.
-- The service may look for due ones over all accounts; the application role sees its account's only.
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

-- Lanes of a remote memory that are behind: what they lack are the reports that still have `writes`, in their order. The
-- memory is sent to again at `next_at`, and until then by nobody but the process that set it. Of the first write that
-- waits, `bad_answers` counts failures with a working backend, and `attempts` those of an outage too.
create table delivery (
  account_id text not null check (account_id <> ''),
  lane text not null,
  next_at timestamptz not null default now(),
  attempts int not null default 0 check (attempts >= 0),
  bad_answers int not null default 0 check (bad_answers >= 0),
  primary key (account_id, lane)
);
call secure_table('delivery');

-- One run of `sextant import` for a lane: the names of its files, what it read, what it added, and what it left out by
-- reason. `command` is a SHA-256 of files and options, by which the same command goes on with an interrupted one.
-- `claim` is the process that writes; a later one takes its place.
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
