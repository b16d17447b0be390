-- Spending of accounts with a budget, by hours. The tables do not refer to decisions, because spending stays when
-- retention drops a month. `margin_usd` is the amount that decisions without a report reserve above their estimates.

-- One row for each decision and each report of an account with a budget. Rows are only added, so no report waits for a
-- lock.
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

-- Sums of the changes by hour. A row with the hour -infinity marks the hours as filled. Its `shift` is the spending
-- multiplier that the account's processes share.
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
