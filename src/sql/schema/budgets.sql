-- What accounts with a budget have spent, by hours. Neither table refers to decisions: a month that retention drops was
-- spent all the same. `margin_usd` is what decisions without a report reserve above their estimates.

-- A row for each decision and each report of an account with a budget: rows without locks, so that settlements wait for
-- none.
create table spend_change (
  account_id text not null check (account_id <> ''),
  change_id bigint generated always as identity,
  hour timestamptz not null,
  requests bigint not null,
  billed_usd float8 not null,
  billed_estimate_usd float8 not null,
  waiting_usd float8 not null,
  left_out_usd float8 not null,
  margin_usd float8 not null default 0,
  primary key (account_id, change_id)
);
call secure_table('spend_change');

-- The folded changes. The row of hour -infinity says that the hours are filled, and holds the multiplier of the
-- account's processes.
create table spend_hour (
  account_id text not null check (account_id <> ''),
  hour timestamptz not null,
  requests bigint not null,
  billed_usd float8 not null,
  billed_estimate_usd float8 not null,
  waiting_usd float8 not null,
  left_out_usd float8 not null,
  margin_usd float8 not null default 0,
  shift float8,
  primary key (account_id, hour)
);
call secure_table('spend_hour');
