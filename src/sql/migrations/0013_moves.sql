-- Moves of accounts between cells (`privacy/move`), one row in each of both cells. `phase` of the cell that is left:
-- copying, closing (votes are refused), frozen, left; of the other one: arriving, arrived.
create table account_move (
  account_id text not null check (account_id <> ''),
  peer text not null,
  phase text not null check (phase in ('copying', 'closing', 'frozen', 'left', 'arriving', 'arrived')),
  frozen_until timestamptz,
  is_return boolean not null default false,
  began_at timestamptz not null default clock_timestamp(),
  primary key (account_id)
);
call secure_table('account_move');
-- Keys are written outside any account's scope.
grant select on account_move to sextant_service;
create policy moves_to_owner on account_move for select to current_user using (true);
create policy moves_to_service on account_move for select to sextant_service using (true);

create trigger refuse_frozen before insert or update or delete on account_setting
  for each row execute function refuse_frozen_change();
create trigger refuse_frozen before insert or update or delete on account_models
  for each row execute function refuse_frozen_change();
create trigger refuse_frozen before insert or update or delete on vote_secret
  for each row execute function refuse_frozen_change();
-- Marks of a key's use are no change.
create trigger refuse_frozen before insert or delete or update of role, salt, key_hash, expires_at, revoked_at on api_key
  for each row execute function refuse_frozen_change();
