-- Calls that other programs made and sent by OpenTelemetry. They are neither decisions nor reports.

-- `call_id` is made of the trace's and the span's id, or is the program's own id. It identifies a call that is sent again.
-- `model_id` is the catalog's id, or the program's spelling of a model that the catalog does not have. A token count
-- includes its parts. `list_usd` is the price of the tokens by list prices at the time of receipt. The words are not kept.
-- `task_type` and `difficulty` were read from them, and are null without words.
create table observed_call (
  account_id text not null check (account_id <> ''),
  call_id text not null check (call_id <> ''),
  called_at timestamptz not null,
  model_id text not null,
  effort text,
  task_type text,
  difficulty text,
  input_tokens float8,
  cached_input_tokens float8,
  cache_write_input_tokens float8,
  output_tokens float8,
  reasoning_tokens float8,
  billed_usd float8 check (billed_usd >= 0 and billed_usd < 'Infinity'),
  list_usd float8 check (list_usd >= 0 and list_usd < 'Infinity'),
  latency_ms float8,
  time_to_first_token_ms float8,
  session_id text,
  user_id text,
  tags text[] not null,
  quality float8 check (quality >= 0 and quality <= 1),
  provenance text,
  is_broken boolean not null,
  primary key (account_id, call_id)
);
create index observed_call_time on observed_call (account_id, called_at);
call secure_table('observed_call');

-- Telemetry records that were no call or could not be read: their number by day, UTC, and reason.
create table observed_left_out (
  account_id text not null check (account_id <> ''),
  day timestamptz not null,
  reason text not null,
  records bigint not null,
  primary key (account_id, day, reason)
);
call secure_table('observed_left_out');
