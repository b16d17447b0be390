-- Health of models, as the callers of an account see it.

-- Calls by minute. They are counted while the infrastructure breaks some of them. `reporter` is a number that several
-- callers share. `run` is the length of the last run of equal outcomes: above 0 for good calls, below 0 for broken ones.
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

-- The recommendation that tests an unhealthy model while all others avoid that model. An empty `model_id` means the whole
-- provider.
create table model_probe (
  account_id text not null check (account_id <> ''),
  provider text not null,
  model_id text not null,
  recommendation_id uuid not null,
  leased_until timestamptz not null,
  primary key (account_id, provider, model_id)
);
call secure_table('model_probe');
