-- When the account was frozen in the cell that it left, by that cell's clock: decisions of later are copied afterwards.
alter table account_move add column frozen_at timestamptz;
-- `draining`: it is served here, while decisions that the cell it left still writes are copied.
alter table account_move drop constraint account_move_phase_check;
alter table account_move add constraint account_move_phase_check
  check (phase in ('copying', 'closing', 'frozen', 'left', 'arriving', 'draining', 'arrived'));
