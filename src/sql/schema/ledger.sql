-- The ledger: every recommendation, and what its reports come to.

-- A recommendation, which stands still but for its words. `created_at` is the time inside the UUIDv7 id, so a look-up
-- by id reads one partition. `body` holds all other fields, which no statement reads (`ledger/sql/DecisionBody`): most of
-- it is numbers and ids, which do not compress. `task_vectors` is kept instead of a task's words: `[embedder, scale,
-- base64]` of each embedder. What statements filter, join or sum is copied to `decision_figures`.
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
