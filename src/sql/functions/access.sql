-- Helpers of the tables and functions of an account.

-- Puts a table with a column `account_id text` under row-level security, also for its owner, and lets the application role
-- use it. Without a current account no row can be seen or written. One exception: the owner sees the rows of all accounts
-- in a transaction that sets `app.across_accounts`. Partitions need no grant, because statements reach them by the table.
create or replace procedure secure_table(relation regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', relation);
  execute format('alter table %s force row level security', relation);
  execute format('create policy account_only on %s
    using (account_id = nullif(current_setting(''app.account'', true), ''''))
    with check (account_id = nullif(current_setting(''app.account'', true), ''''))', relation);
  execute format('create policy all_to_owner on %s for select to current_user
    using (current_setting(''app.across_accounts'', true) = ''on'')', relation);
  execute format('grant select, insert, update, delete on %s to sextant_app', relation);
end $$;

-- Begins a function that does the work of a whole transaction of one account. It takes on the application role and sets
-- the account. Row-level security then shows and accepts only that account's rows. One statement replaces four round
-- trips.
--
-- Such a function has only the rights of its caller (it is no `security definer`), so nobody gains a right by calling it
-- or by changing `search_path`. Role and account stay set until the transaction ends. If another account is set already,
-- the call fails with 42501. Call it by an assignment, which PL/pgSQL evaluates without a query: `entered text :=
-- enter_account(account);`.
create or replace function enter_account(account text) returns text language plpgsql as $$
declare
  entered text := current_setting('app.account', true);
begin
  if entered <> '' and entered is distinct from account then
    raise exception 'An account is set; the work of another cannot join its transaction'
      using errcode = 'insufficient_privilege';
  end if;
  entered := set_config('role', 'sextant_app', true);
  return set_config('app.account', account, true);
end $$;

-- Begins a transaction that writes reports of an account or rows that reports change. It enters the account, takes the
-- next revisions of its log, and returns the last one. It holds the log's lock until the transaction ends, so only one
-- such transaction of an account runs at a time.
--
-- The transaction's statements look up every row by its key. Without the two settings, a plan that was made for a small
-- table would go on scanning the whole table when it is large, until PostgreSQL analyses the table.
create or replace function take_revisions(account text, added int) returns bigint language plpgsql as $$
declare
  entered text := enter_account(account);
  planned text := set_config('enable_seqscan', 'off', true) || set_config('plan_cache_mode', 'force_generic_plan', true);
  last bigint;
begin
  insert into account_log as l (account_id, revision) values (account, added)
  on conflict (account_id) do update set revision = l.revision + excluded.revision
  returning l.revision into last;
  return last;
end $$;

-- By default every role may run a new function, but a hardened database may forbid that.
grant execute on function enter_account, take_revisions to sextant_app, sextant_service;
