/* The functions of the migrations of budgets: what a decision costs, and what an account has spent. */
import { costOutlierRule } from "../../domain/CostOutlier.ts"

/** The sums of spending of migration 29, which `stats/Pacer.ts` reads as `SpendSums`, with their types. */
export const spendColumns = {
  requests: "bigint", billed_usd: "float8", billed_estimate_usd: "float8", waiting_usd: "float8",
  left_out_usd: "float8"
}

/** The sum that migration 36 adds: margins of decisions without a report. */
export const marginColumn = "margin_usd"

/**
 * The hour from which margins count: a report that has not come within one or two hours seldom comes. The
 * call was probably made all the same, so that its estimate goes on counting.
 */
export const marginSince = "date_trunc('hour', now() - interval '1 hour', 'UTC')"

const namesWith = (hasMargins: boolean): ReadonlyArray<string> =>
  [...Object.keys(spendColumns), ...(hasMargins ? [marginColumn] : [])]
const sumsOf = (names: ReadonlyArray<string>): string =>
  names.map((name) => `sum(${name}) as ${name}`).join(", ")

/**
 * What a decision has cost, by its columns. Without a report it waits at the estimate of what runs: the pick,
 * and in shadow the declared baseline. With reports every model counts by its bill, reported or else
 * computed; a call without either waits at its estimate, and costs nothing where the infrastructure broke it.
 * A bill above `costOutlierRatio` times the dearest candidate's estimate counts up to that; the rest is left
 * out.
 */
export const decisionSpend = `
  create function decision_spend(d decision, out billed float8, out billed_estimate float8,
    out waiting float8, out left_out float8) language plpgsql stable as $$
  declare
    ran float8 := case when d.is_shadow then coalesce(d.cost_declared_usd, d.cost_recommended_usd)
      else d.cost_recommended_usd end;
    highest float8 := case when d.cost_premium_usd > 0
      then ${costOutlierRule.costOutlierRatio} * d.cost_premium_usd else 'Infinity' end;
    reports jsonb := d.outcomes;
    report jsonb;
    estimate float8;
    bill float8;
  begin
    billed := 0; billed_estimate := 0; waiting := 0; left_out := 0;
    if coalesce(jsonb_array_length(reports), 0) = 0 then
      if d.feedback_at is null then
        waiting := ran;
        return;
      end if;
      -- A version that keeps no reports has written the feedback.
      reports := jsonb_build_array(jsonb_build_object('modelId', d.chosen_model_id,
        'billed', jsonb_build_object('actualCostUsd', d.actual_cost_usd,
          'computedCostUsd', d.computed_cost_usd),
        'label', jsonb_build_object('errorCause', d.error_cause, 'outcome', d.outcome)));
    end if;
    for report in select * from jsonb_array_elements(reports) loop
      select (c->>2)::float8 into estimate from jsonb_array_elements(d.candidates) as c
        where c->>0 = report->>'modelId' limit 1;
      estimate := coalesce(estimate, ran);
      bill := coalesce((report->'billed'->>'actualCostUsd')::float8,
        (report->'billed'->>'computedCostUsd')::float8);
      if bill is null then
        if report->'label'->>'errorCause' = 'infra' and report->'label'->>'outcome' <> 'success' then
          continue;
        end if;
        waiting := waiting + estimate;
      elsif bill > highest then
        -- Alike in both sums, so that it says nothing of the bills of other calls.
        billed := billed + highest;
        billed_estimate := billed_estimate + highest;
        left_out := left_out + bill - highest;
      else
        billed := billed + bill;
        billed_estimate := billed_estimate + estimate;
      end if;
    end loop;
  end $$`

/** What a version of a row reserves above its estimate: nothing once it has a report. */
const marginOf = (row: "new" | "old"): string =>
  `case when ${row}.feedback_at is null and coalesce(jsonb_array_length(${row}.outcomes), 0) = 0
        then greatest(${row}.cost_margin_usd, 0) else 0 end`

/** The function of the trigger: writes what a decision, or a report of it, adds to an account's spending. */
export const keepSpend = (statement: "create" | "create or replace", hasMargins: boolean): string => `
  ${statement} function keep_spend() returns trigger language plpgsql as $$
  declare
    costs record;
    had record;
  begin
    if not exists (select from account_setting s
      where s.account_id = new.account_id and s.budget_usd is not null) then return null; end if;
    costs := decision_spend(new);
    if tg_op = 'UPDATE' then
      had := decision_spend(old);
    else
      select 0 as billed, 0 as billed_estimate, 0 as waiting, 0 as left_out into had;
    end if;
    insert into spend_change (account_id, hour, ${namesWith(hasMargins).join(", ")})
    values (new.account_id, date_trunc('hour', new.created_at, 'UTC'),
      case when tg_op = 'INSERT' then 1 else 0 end,
      costs.billed - had.billed, costs.billed_estimate - had.billed_estimate,
      costs.waiting - had.waiting, costs.left_out - had.left_out${hasMargins ? `,
      ${marginOf("new")} - case when tg_op = 'INSERT' then 0 else ${marginOf("old")} end` : ""});
    return null;
  end $$`

/**
 * Hours of spending that are kept, count: more than a month and the week of a forecast. By number, because a
 * clock that is ahead for a while would delete them by time.
 */
const keptHours = 1_000
/** Most changes that one call folds into their hours. */
const foldedMax = 5_000

/** Of the ledger's figures: what they cost before changes were kept. */
const scanned = `
  select date_trunc('hour', f.created_at, 'UTC') as hour, count(*) as requests,
    coalesce(sum(e.bill), 0) as billed_usd,
    coalesce(sum(case when e.bill is null then null
      when f.chosen_model_id = f.recommended_model_id and f.actual_cost_usd = e.bill
        then f.cost_recommended_usd else e.bill end), 0) as billed_estimate_usd,
    coalesce(sum(e.ran) filter (where e.bill is null), 0) as waiting_usd,
    coalesce(sum(f.actual_cost_usd - e.bill), 0) as left_out_usd
  from decision_figures f, lateral (
    select case when f.is_shadow then coalesce(f.cost_declared_usd, f.cost_recommended_usd)
        else f.cost_recommended_usd end as ran,
      case when f.actual_cost_usd <= highest.usd then f.actual_cost_usd
        when f.actual_cost_usd > highest.usd then highest.usd end as bill
    from (select case when f.cost_premium_usd > 0
      then ${costOutlierRule.costOutlierRatio} * f.cost_premium_usd else 'Infinity' end as usd) as highest
  ) as e
  where f.account_id = account and f.created_at >= since and f.created_at < moment + interval '1 day'
  group by 1`

/**
 * What an account with a budget has spent in the running day or month and in the last 24 hours, and its
 * requests by hours of the last week, as one JSON object; null without a budget, and while another process
 * fills the hours for the first time.
 *
 * The first call fills the hours from the ledger. Later calls fold the changes that triggers wrote since then
 * into their hours, one process at a time; a process that does not get its turn reads both. The row of hour
 * -infinity says that the hours are filled, and holds the multiplier of the account's processes: each call
 * moves it half of the way to its own.
 *
 * @param hasMargins whether margins count, as of migration 36
 */
export const budgetSpend = (hasMargins: boolean) => {
  const names = namesWith(hasMargins)
  const [listed, sums, scannedNames] = [names.join(", "), sumsOf(names), namesWith(false).join(", ")]
  const recent = hasMargins
    ? `, coalesce(sum(${marginColumn}) filter (where hour >= ${marginSince}), 0) as ${marginColumn}`
    : ""
  const answered = sumsOf(namesWith(false)) + recent
  return {
    name: "budget_spend",
    parameters: "of_period text, own_shift float8",
    returns: "json",
    isByKey: true,
    declare: `
      moment timestamptz := now();
      since timestamptz := date_trunc('hour', moment - interval '32 days', 'UTC');
      period_start timestamptz := date_trunc(of_period, moment, 'UTC');
      is_filled boolean;`,
    body: `
    if not exists (select from account_setting s
      where s.account_id = account and s.budget_usd is not null) then return null; end if;
    if pg_try_advisory_xact_lock(hashtextextended('sextant.spend:' || account, 0)) then
      select true into is_filled from spend_hour h where h.account_id = account and h.hour = '-infinity';
      if is_filled then
        with taken as (
          select c.change_id from spend_change c where c.account_id = account
          order by c.change_id limit ${foldedMax}
        ), gone as (
          delete from spend_change c where c.account_id = account
            and c.change_id = any(array(select t.change_id from taken t)) returning c.*
        )
        insert into spend_hour as h (account_id, hour, ${listed})
        select account, hour, ${sums} from gone group by hour
        on conflict (account_id, hour) do update set
          ${names.map((name) => `${name} = h.${name} + excluded.${name}`).join(", ")};
        delete from spend_hour h where h.account_id = account
          and h.hour > '-infinity' and h.hour < (
            select k.hour from spend_hour k where k.account_id = account
            order by k.hour desc offset ${keptHours} limit 1);
        if own_shift is not null then
          update spend_hour h set shift = (coalesce(h.shift, own_shift) + own_shift) / 2
          where h.account_id = account and h.hour = '-infinity';
        end if;
      else
        -- Who removes the budget waits, and removes these rows too.
        perform from account_setting s
          where s.account_id = account and s.budget_usd is not null for share;
        if not found then return null; end if;
        -- One statement, which sees a decision both in the ledger and in its change, or in neither.
        with gone as (
          delete from spend_change c where c.account_id = account
        ), scanned as (${scanned})
        insert into spend_hour (account_id, hour, ${scannedNames})
        select account, '-infinity', 0, 0, 0, 0, 0
        union all select account, hour, ${scannedNames} from scanned
        on conflict do nothing;
      end if;
    elsif not exists (select from spend_hour h where h.account_id = account and h.hour = '-infinity') then
      return null;
    end if;
    return (
      with hours as materialized (
        select hour, ${sums} from (
          select hour, ${listed} from spend_hour h
            where h.account_id = account and h.hour >= since
          union all select hour, ${listed} from spend_change c where c.account_id = account
        ) as each where hour <= moment group by hour
      )
      select json_build_object(
        'periodStart', extract(epoch from period_start) * 1000,
        'shift', (select h.shift from spend_hour h where h.account_id = account and h.hour = '-infinity'),
        'spend', (select row_to_json(each) from (
          select ${answered} from hours where hour >= period_start) as each),
        'lastDay', (select row_to_json(each) from (
          select ${answered} from hours where hour > moment - interval '24 hours') as each),
        'first', (select extract(epoch from min(hour)) * 1000 from hours where requests > 0),
        'hourly', (select coalesce(json_agg(json_build_array(
            extract(epoch from hour) * 1000, requests)), '[]')
          from hours where hour > moment - interval '170 hours' and requests > 0)));`
  }
}
