-- Moves of accounts between cells: what is refused while an account is frozen.

-- Whether feedback, votes, settings and keys of the account are refused: it is being moved to another cell and its last
-- rows are copied, or it has left, or it is arriving here. A freeze ends by itself until the account has left. The move
-- itself says `app.move` and writes.
create or replace function is_frozen(account text) returns boolean language plpgsql as $$
begin
  return current_setting('app.move', true) is distinct from 'on' and exists (
    select from account_move m where m.account_id = account
      and (m.phase in ('left', 'arriving') or m.phase = 'frozen' and m.frozen_until > clock_timestamp()));
end $$;

-- Whether decisions of the account may still come from another cell: those that are not here are then not unknown.
create or replace function decisions_may_come(account text) returns boolean language plpgsql as $$
begin
  return is_frozen(account) or exists (select from account_move m where m.account_id = account and m.phase = 'draining');
end $$;

-- Refuses a decision that is not here, while it may still come from another cell.
create or replace function refuse_awaited() returns void language plpgsql as $$
begin
  raise exception 'The decision may still come from another cell' using errcode = 'SX001';
end $$;

-- Refuses what may not be written while the account is frozen, with SX001. The lock, which lasts as long as the
-- transaction, is shared by all writers; the move takes it alone to freeze the account, so that every write that was
-- let in is committed by then, and every later one sees the freeze.
create or replace function refuse_frozen(account text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('sextant.move:' || account, 0));
  if is_frozen(account) then
    raise exception 'The account is being moved to another cell' using errcode = 'SX001';
  end if;
end $$;

-- Refuses changes of an account's settings and keys while it is frozen.
create or replace function refuse_frozen_change() returns trigger language plpgsql as $$
begin
  perform refuse_frozen(coalesce(new.account_id, old.account_id));
  return coalesce(new, old);
end $$;

grant execute on function is_frozen, decisions_may_come, refuse_awaited, refuse_frozen, refuse_frozen_change to sextant_app, sextant_service;
