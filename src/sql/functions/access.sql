-- The two helpers that every table and function of an account uses.

-- Puts a table with a column `account_id text` under row-level security, for its owner too, and grants the
-- application role its use. Without a current account no row is visible and none can be written, except that the
-- owner sees all accounts' rows in a transaction that says so (`acrossAccounts`). Partitions are reached through their
-- parent and get no grant.
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

-- Begins a function that does the work of a whole transaction of one account in one statement: takes on the
-- application role and sets the account, so that the function's statements run under row-level security, which shows
-- and accepts only that account's rows. It saves three of four round trips.
--
-- Such a function has its caller's rights and no others (it is no `security definer`): only a member of the
-- application role can run it, and only as that role, so there is nothing to gain by calling it or by changing
-- `search_path`. Role and account are local to the transaction. Inside an open transaction they stay set until it
-- ends; where another account is set already, it fails with 42501. Call it by an assignment, which PL/pgSQL evaluates
-- without a query: `entered text := enter_account(account);`.
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

-- Begins a transaction of an account that writes reports or what follows from them: takes the account and its log's next
-- revisions, and holds the log's lock until the transaction ends, so that such transactions of the account take turns. Its
-- statements look up every row by its key: a plan is made when a connection first runs a statement and kept until the
-- table is analysed; with tables that were small by then, each would scan all of them for ever. It yields the last of the
-- revisions.
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

-- Every role may run a new function, unless a hardened database says otherwise.
grant execute on function enter_account, take_revisions to sextant_app, sextant_service;
