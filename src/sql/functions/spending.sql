-- Spending of accounts with a budget. Each decision and report adds its changes in its own transaction.

-- An account's spending in the running day or month and in the last 24 hours, and its requests by hour of the last week,
-- as one JSON object (`SpendSums` of `stats/BudgetState.ts`). It is null without a budget, and while another process
-- fills the hours for the first time.
--
-- The first call fills the hours from the ledger. Later calls add new changes to their hours, at most 5,000 at once. Only
-- one process does so at a time, and the others read hours and changes. Each call moves the shared multiplier half of the
-- way to the caller's. The last 1,000 hours are kept: a month and the week of a forecast. They are counted, because
-- deletion by time would be wrong while a clock is ahead. Margins are added for one or two hours, because a later report
-- seldom comes. The estimate of the decision stays.
create or replace function budget_spend(account text, of_period text, own_shift float8) returns json
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
  moment timestamptz := now();
  since timestamptz := date_trunc('hour', moment - interval '32 days', 'UTC');
  period_start timestamptz := date_trunc(of_period, moment, 'UTC');
  margin_since timestamptz := date_trunc('hour', moment - interval '1 hour', 'UTC');
  is_filled boolean;
begin
  if not exists (select from account_setting s
    where s.account_id = account and s.budget_usd is not null) then return null; end if;
  if pg_try_advisory_xact_lock(hashtextextended('sextant.spend:' || account, 0)) then
    select true into is_filled from spend_hour h where h.account_id = account and h.hour = '-infinity';
    if is_filled then
      with taken as (
        select c.change_id from spend_change c where c.account_id = account
        order by c.change_id limit 5000
      ), gone as (
        delete from spend_change c where c.account_id = account
          and c.change_id = any(array(select t.change_id from taken t)) returning c.*
      )
      insert into spend_hour as h (account_id, hour, requests, billed_usd, billed_estimate_usd, waiting_usd,
        left_out_usd, margin_usd)
      select account, hour, sum(requests), sum(billed_usd), sum(billed_estimate_usd), sum(waiting_usd),
        sum(left_out_usd), sum(margin_usd)
      from gone group by hour
      on conflict (account_id, hour) do update set
        requests = h.requests + excluded.requests,
        billed_usd = h.billed_usd + excluded.billed_usd,
        billed_estimate_usd = h.billed_estimate_usd + excluded.billed_estimate_usd,
        waiting_usd = h.waiting_usd + excluded.waiting_usd,
        left_out_usd = h.left_out_usd + excluded.left_out_usd,
        margin_usd = h.margin_usd + excluded.margin_usd;
      delete from spend_hour h where h.account_id = account
        and h.hour > '-infinity' and h.hour < (
          select k.hour from spend_hour k where k.account_id = account
          order by k.hour desc offset 1000 limit 1);
      if own_shift is not null then
        update spend_hour h set shift = (coalesce(h.shift, own_shift) + own_shift) / 2
        where h.account_id = account and h.hour = '-infinity';
      end if;
    else
      -- A transaction that removes the budget waits for this lock, and then removes these rows too.
      perform from account_setting s
        where s.account_id = account and s.budget_usd is not null for share;
      if not found then return null; end if;
      -- One statement sees a decision both in the ledger and in its change, or in neither.
      with gone as (
        delete from spend_change c where c.account_id = account
      ), scanned as (
        select date_trunc('hour', f.created_at, 'UTC') as hour, count(*) as requests,
          coalesce(sum(o.billed_usd), 0) as billed_usd, coalesce(sum(o.billed_estimate_usd), 0) as billed_estimate_usd,
          sum(coalesce(o.waiting_usd, f.waiting_usd)) as waiting_usd, coalesce(sum(o.left_out_usd), 0) as left_out_usd
        from decision_figures f left join outcome o on o.account_id = account and o.created_at = f.created_at
          and o.recommendation_id = f.recommendation_id
          and o.created_at >= since and o.created_at < moment + interval '1 day'
        where f.account_id = account and f.created_at >= since and f.created_at < moment + interval '1 day'
        group by 1
      )
      insert into spend_hour (account_id, hour, requests, billed_usd, billed_estimate_usd, waiting_usd, left_out_usd)
      select account, '-infinity', 0, 0, 0, 0, 0
      union all
      select account, hour, requests, billed_usd, billed_estimate_usd, waiting_usd, left_out_usd from scanned
      on conflict do nothing;
    end if;
  elsif not exists (select from spend_hour h where h.account_id = account and h.hour = '-infinity') then
    return null;
  end if;
  return (
    with hours as materialized (
      select hour, sum(requests) as requests, sum(billed_usd) as billed_usd,
        sum(billed_estimate_usd) as billed_estimate_usd, sum(waiting_usd) as waiting_usd,
        sum(left_out_usd) as left_out_usd,
        coalesce(sum(margin_usd) filter (where hour >= margin_since), 0) as margin_usd
      from (
        select hour, requests, billed_usd, billed_estimate_usd, waiting_usd, left_out_usd, margin_usd
        from spend_hour h where h.account_id = account and h.hour >= since
        union all
        select hour, requests, billed_usd, billed_estimate_usd, waiting_usd, left_out_usd, margin_usd
        from spend_change c where c.account_id = account
      ) as each where hour <= moment group by hour
    )
    select json_build_object(
      'periodStart', extract(epoch from period_start) * 1000,
      'shift', (select h.shift from spend_hour h where h.account_id = account and h.hour = '-infinity'),
      'spend', (select row_to_json(each) from (
        select sum(requests) as requests, sum(billed_usd) as billed_usd,
          sum(billed_estimate_usd) as billed_estimate_usd, sum(waiting_usd) as waiting_usd,
          sum(left_out_usd) as left_out_usd, coalesce(sum(margin_usd), 0) as margin_usd
        from hours where hour >= period_start) as each),
      'lastDay', (select row_to_json(each) from (
        select sum(requests) as requests, sum(billed_usd) as billed_usd,
          sum(billed_estimate_usd) as billed_estimate_usd, sum(waiting_usd) as waiting_usd,
          sum(left_out_usd) as left_out_usd, coalesce(sum(margin_usd), 0) as margin_usd
        from hours where hour > moment - interval '24 hours') as each),
      'first', (select extract(epoch from min(hour)) * 1000 from hours where requests > 0),
      'hourly', (select coalesce(json_agg(json_build_array(
          extract(epoch from hour) * 1000, requests)), '[]')
        from hours where hour > moment - interval '170 hours' and requests > 0)));
end $$;

-- Checks calls in order against the rest of the account's budget. `refused` has the positions of the calls that do not
-- fit. A call fits if its `needed_usd` is 0, or if it is at most the rest less the call's `kept_usd`. Null never fits. If
-- all calls fit, their decisions are appended in the same transaction. Without a budget all calls fit.
--
-- Spending is the same sum as in `stats/BudgetState.ts`: bills, `ratio` times the estimates of decisions without a
-- report, and the margins of recent ones. One process at a time holds the lock from this sum to its commit, so each sees
-- all earlier rows. The period is that of the oldest decision, because the period may have ended since.
create or replace function check_budget(account text, needed_usd float8[], kept_usd float8[], oldest timestamptz,
  ratio float8) returns table (refused int[], usd float8, period text, start_ms float8)
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
  terms record;
  period_start timestamptz;
  spent float8;
begin
  perform pg_advisory_xact_lock(hashtextextended('sextant.budget:' || account, 0));
  select s.budget_usd as usd, s.budget_period as period into terms from account_setting s
    where s.account_id = account and s.budget_usd is not null;
  refused := '{}';
  usd := coalesce(terms.usd, 0);
  period := coalesce(terms.period, 'day');
  if terms.usd is not null then
    if not exists (select from spend_hour h where h.account_id = account and h.hour = '-infinity') then
      -- Another process may be filling the hours now.
      perform pg_advisory_xact_lock(hashtextextended('sextant.spend:' || account, 0));
      perform budget_spend(account, terms.period, null);
    end if;
    period_start := date_trunc(terms.period, least(now(), oldest), 'UTC');
    select coalesce(sum(billed_usd + ratio * waiting_usd
        + case when hour >= date_trunc('hour', now() - interval '1 hour', 'UTC') then margin_usd else 0 end), 0)
      into spent
      from (
        select hour, billed_usd, waiting_usd, margin_usd from spend_hour h where h.account_id = account
        union all
        select hour, billed_usd, waiting_usd, margin_usd from spend_change c where c.account_id = account
      ) as each where hour >= period_start and hour <= now();
    for place in 1 .. cardinality(needed_usd) loop
      if needed_usd[place] = 0 or spent + needed_usd[place] <= terms.usd - kept_usd[place] then
        spent := spent + needed_usd[place];
      else
        refused := refused || place;
      end if;
    end loop;
  end if;
  start_ms := extract(epoch from period_start) * 1000;
  return next;
end $$;

grant execute on function budget_spend, check_budget
  to sextant_app, sextant_service;
