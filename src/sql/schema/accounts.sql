-- Accounts: keys, settings, models of their own, budgets and guarantees.

-- Read before an account is known, so only the owner and the service may read it. `role` says what a key is for.
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
-- Every process reads each few seconds which keys have ended lately.
create index api_key_end on api_key (least(revoked_at, expires_at));
alter table api_key enable row level security;
grant select, insert, update on api_key to sextant_service;
create policy keys_to_service on api_key to sextant_service using (true) with check (true);

-- What an account has of its own; null where it follows the service. `success_value_usd` is what a right result is worth;
-- null where its requests say it, or the threshold decides.
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

-- One document for an account that has models of its own, in the spelling of the wire. `version` is another one after
-- every write, so that a copy that holds a document can ask whether it is still the account's. `identities` is what the
-- ids of its models stood for, and when that changed. `prepaid` is what is used of each quota of the document, by model:
-- `since`, when the quota was set, and `used`, tokens; null without any. Settlements count without a new version.
create table account_models (
  account_id text not null check (account_id <> ''),
  version uuid not null default gen_random_uuid(),
  document jsonb not null,
  identities jsonb not null default '[]',
  prepaid jsonb,
  updated_at timestamptz not null default now(),
  primary key (account_id)
);
call secure_table('account_models');

-- The evidence of decisions up to `folded_id`, so that each is read once for each guarantee, and its evidence
-- outlives it. The evidence is sums and test statistics; it names models alone.
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

