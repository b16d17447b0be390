-- Accounts: keys, settings, own models, budgets and guarantees.

-- A key is read before its account is known, so only the owner and the service may read this table. `role` is the set of
-- rights of the key.
create table api_key (
  account_id text not null check (account_id <> ''),
  key_id text not null,
  salt bytea not null,
  key_hash bytea not null,
  role text not null default 'use',
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (account_id, key_id)
);
-- Every process looks for recently ended keys every few seconds.
create index api_key_end on api_key (least(revoked_at, expires_at));
alter table api_key enable row level security;
grant select, insert, update on api_key to sextant_service;
create policy keys_to_service on api_key to sextant_service using (true) with check (true);

-- Settings of an account. Null means that the service's setting holds. `success_value_usd` is what a right result is
-- worth. If it is null, a request names the value, or the threshold decides.
create table account_setting (
  account_id text not null check (account_id <> ''),
  selection_policy text check (selection_policy in ('argmin', 'epsilon_softmax')),
  task_text text check (task_text in ('excerpt', 'none')),
  budget_usd float8 check (budget_usd >= 0 and budget_usd < 'Infinity'),
  budget_period text check (budget_period in ('day', 'month')),
  budget_is_hard boolean not null default false,
  guarantee jsonb,
  success_value_usd float8 check (success_value_usd >= 0 and success_value_usd < 'Infinity'),
  updated_at timestamptz not null default now(),
  primary key (account_id)
);
call secure_table('account_setting');

-- The models that an account declared, as one document in the spelling of the wire. Every write gives it a new `version`,
-- so a process can ask whether its cached document is current. `identities` records which model each id named, and since
-- when.
create table account_models (
  account_id text not null check (account_id <> ''),
  version uuid not null default gen_random_uuid(),
  document jsonb not null,
  identities jsonb not null default '[]',
  updated_at timestamptz not null default now(),
  primary key (account_id)
);
call secure_table('account_models');

-- The evidence of a guarantee, from decisions up to `folded_id`. Each decision is read once, and its evidence stays after
-- retention deletes the decision. The evidence has sums and test statistics, and names nothing but models.
create table guarantee_evidence (
  account_id text not null check (account_id <> ''),
  lane text not null,
  baseline_model_id text not null,
  max_quality_loss float8 not null check (max_quality_loss > 0 and max_quality_loss < 1),
  confidence float8 not null check (confidence > 0 and confidence < 1),
  folded_id uuid not null,
  evidence jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (account_id, lane, baseline_model_id, max_quality_loss, confidence)
);
call secure_table('guarantee_evidence');

