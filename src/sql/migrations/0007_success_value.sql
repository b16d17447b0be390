-- What a right result is worth, USD: to an account, null where its requests say it or the threshold decides; and to a
-- decision, null where the threshold decided.
alter table account_setting add column success_value_usd float8
  check (success_value_usd >= 0 and success_value_usd < 'Infinity');
alter table decision add column success_value_usd float8
  check (success_value_usd >= 0 and success_value_usd < 'Infinity');
