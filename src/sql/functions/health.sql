-- Functions that count calls of models, and allow one recommendation at a time to test an unhealthy model.

-- Counts the calls in reports (`call` of each), by the database's clock. Applying reports calls it
-- (`ledger/sql/CallCounts.ts`) if the infrastructure broke a call of the account now or in the last ten minutes
-- (`quietMs`). Reports on older decisions are left out, because they say nothing about the model's present health. Rows
-- are locked in the order of their keys.
create or replace function count_calls(account text, reports json) returns void
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
  told record;
  ids uuid[] := '{}';
begin
  for told in
    select r.recommendation_id, c.*
    from json_to_recordset(reports) as r (position int, recommendation_id uuid, created_at timestamptz, call json),
      json_to_record(r.call) as c (provider text, model_id text, reporter int2, failed boolean, limited boolean,
        retry_after_ms float8)
    where r.call is not null and r.created_at > now() - interval '10 minutes'
    order by c.provider, c.model_id, c.reporter, r.position
  loop
    ids := ids || told.recommendation_id;
    insert into model_call as m (account_id, minute, provider, model_id, reporter, calls, failures, rate_limits, run,
      failed_at, retry_at)
    values (account, date_trunc('minute', now()), told.provider, told.model_id, told.reporter, 1, told.failed::int,
      told.limited::int, case when told.failed then -1 else 1 end, case when told.failed then now() end,
      case when told.failed then now() + told.retry_after_ms * interval '1 millisecond' end)
    on conflict (account_id, minute, provider, model_id, reporter) do update set
      calls = m.calls + 1,
      failures = m.failures + excluded.failures,
      rate_limits = m.rate_limits + excluded.rate_limits,
      run = case when sign(m.run) = sign(excluded.run) then m.run + excluded.run else excluded.run end,
      failed_at = coalesce(excluded.failed_at, m.failed_at),
      retry_at = case when excluded.failures > 0 then excluded.retry_at else m.retry_at end;
  end loop;
  delete from model_probe p where p.account_id = account and p.recommendation_id = any(ids);
  delete from model_call c where c.account_id = account and c.minute < now() - interval '16 minutes';
end $$;

-- The calls of the last quarter of an hour, and the running tests of unhealthy models, as JSON. It is null if the
-- infrastructure broke no call in the last ten minutes. Times are milliseconds since 1970.
create or replace function model_health_of(account text) returns json
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
begin
  if not exists (select from model_call c where c.account_id = account
    and c.failed_at > now() - interval '10 minutes') then return null; end if;
  return json_build_object(
    'calls', (select coalesce(json_agg(json_build_object('minute', extract(epoch from c.minute)::bigint / 60,
        'provider', c.provider, 'modelId', c.model_id, 'reporter', c.reporter, 'calls', c.calls,
        'failures', c.failures, 'rateLimits', c.rate_limits, 'run', c.run,
        'failedAtMs', extract(epoch from c.failed_at) * 1000,
        'retryAtMs', extract(epoch from c.retry_at) * 1000)), '[]')
      from model_call c where c.account_id = account and c.minute > now() - interval '15 minutes'
        and c.minute <= now()),
    'probes', (select coalesce(json_agg(json_build_object('provider', p.provider, 'modelId', p.model_id,
        'leasedUntilMs', extract(epoch from p.leased_until) * 1000)), '[]')
      from model_probe p where p.account_id = account and p.leased_until > now()));
end $$;

-- Allows a recommendation to test an unhealthy model, or a whole provider if `of_model` is empty. It returns false while
-- another recommendation tests it.
create or replace function claim_probe(account text, of_provider text, of_model text, recommendation uuid,
  lease_ms float8) returns boolean
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
begin
  insert into model_probe as p (account_id, provider, model_id, recommendation_id, leased_until)
  values (account, of_provider, of_model, recommendation, now() + lease_ms * interval '1 millisecond')
  on conflict (account_id, provider, model_id) do update set
    recommendation_id = excluded.recommendation_id, leased_until = excluded.leased_until
  where p.leased_until <= now();
  return found;
end $$;

grant execute on function count_calls, model_health_of, claim_probe to sextant_app, sextant_service;
