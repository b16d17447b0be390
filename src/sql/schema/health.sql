-- Whether models can be called, as the callers of an account see it.

-- Calls by minute, counted while the infrastructure breaks some. `reporter` is a number that stands for several callers;
-- `run` counts the last outcomes that are alike: calls that went well, or below 0 broken ones.
create table model_call (
  account_id text not null check (account_id <> ''),
  minute timestamptz not null,
  provider text not null,
  model_id text not null,
  reporter int2 not null,
  calls int not null,
  failures int not null,
  rate_limits int not null,
  run int not null,
  failed_at timestamptz,
  retry_at timestamptz,
  primary key (account_id, minute, provider, model_id, reporter)
);
create index model_call_failed on model_call (account_id, failed_at) where failed_at is not null;
call secure_table('model_call');

-- The recommendation that tries a model, or a provider where `model_id` is empty, that others pass by.
create table model_probe (
  account_id text not null check (account_id <> ''),
  provider text not null,
  model_id text not null,
  recommendation_id uuid not null,
  leased_until timestamptz not null,
  primary key (account_id, provider, model_id)
);
call secure_table('model_probe');
