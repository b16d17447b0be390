-- The ledger: recommendations, and the results of their reports.

-- A recommendation. It never changes, except that retention removes its words. `created_at` is the time inside the UUIDv7
-- id, so a look-up by id reads one partition. `body` has the fields that no statement reads (`ledger/sql/PackedFields`).
-- It is stored plain, because numbers and ids do not compress. `task_vectors` replaces a task's words: `[embedder, scale,
-- base64]` for each embedder. Fields that statements filter, join or sum are in `decision_figures`.
create table decision (
  account_id text not null check (account_id <> ''),
  created_at timestamptz not null,
  recommendation_id uuid not null,
  user_id text,
  tags text[] not null,
  task_excerpt text not null,
  task_vectors jsonb,
  body bytea not null,
  primary key (account_id, created_at, recommendation_id)
) partition by range (created_at);
alter table decision alter column body set storage external;
call secure_table('decision');

-- The result of all reports of a decision: the outcome of each model, the task that the reports name, and the cost of the
-- calls. `domain/account/Spending` explains the four sums, which exist without a budget too.
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

-- The order of an account's reports on all copies of the service. A transaction that appends reports takes the next
-- revisions and keeps the row's lock to its end, so revisions commit in order. A writer of rows that reports change takes
-- the lock too.
create table account_log (
  account_id text not null check (account_id <> ''),
  revision bigint not null default 0 check (revision >= 0),
  primary key (account_id)
);
call secure_table('account_log');

-- Every report of a feedback. `body` is the report without its words, and `response` is the service's answer. `writes`
-- are the writes that a memory on another host has not taken yet, in order. It is null if there are none, or if the
-- memory is in this database. `refused` are writes that the other memory refused for good. They are kept and not sent
-- again.
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
-- The condition holds for every row. It keeps other statements from this index: see `observation_by_version`.
create unique index report_key on report (account_id, idempotency_key) where idempotency_key <> '';
create index report_waiting on report (account_id, revision) where writes is not null;
call secure_table('report');
