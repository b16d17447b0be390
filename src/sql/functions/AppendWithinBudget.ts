/* The function that writes decisions which fit into their account's budget. */
import { marginSince } from "./BudgetSpend.ts"

/**
 * `append_within_budget` takes calls with their rows of `append_decisions`. It writes those calls whose
 * decisions fit into what is left of the account's budget less `kept_usd`, in their order, and answers which
 * do not. Without a budget it writes all.
 *
 * What is spent is the same sum as in `stats/Pacer.ts`: bills, estimates of decisions without a report times
 * `ratio`, and the margins of recent ones. Processes take turns from that sum until their rows are committed,
 * so that each sees the rows of all before. The period is that of the oldest decision: it may have ended on
 * the way.
 */
export const appendWithinBudget = {
  name: "append_within_budget",
  parameters: "calls jsonb, ratio float8",
  returns: "json",
  isByKey: true,
  declare: `
      terms record;
      period_start timestamptz;
      spent float8;
      needed float8;
      one jsonb;
      at integer := 0;
      refused integer[] := '{}';
      taken jsonb := '[]';`,
  body: `
    perform pg_advisory_xact_lock(hashtextextended('sextant.budget:' || account, 0));
    select s.budget_usd as usd, s.budget_period as period into terms from account_setting s
      where s.account_id = account and s.budget_usd is not null;
    if found then
      if not exists (select from spend_hour h where h.account_id = account and h.hour = '-infinity') then
        -- Another process may be filling the hours.
        perform pg_advisory_xact_lock(hashtextextended('sextant.spend:' || account, 0));
        perform budget_spend(account, terms.period, null);
      end if;
      period_start := date_trunc(terms.period, least(now(), (
        select min((r->>'created_at')::timestamptz)
        from jsonb_array_elements(calls) as c, jsonb_array_elements(c->'rows') as r)), 'UTC');
      select coalesce(sum(billed_usd + ratio * waiting_usd
          + case when hour >= ${marginSince} then margin_usd else 0 end), 0) into spent
        from (
          select hour, billed_usd, waiting_usd, margin_usd from spend_hour h where h.account_id = account
          union all
          select hour, billed_usd, waiting_usd, margin_usd from spend_change c where c.account_id = account
        ) as each where hour >= period_start and hour <= now();
    end if;
    for one in select c from jsonb_array_elements(calls) as c loop
      select coalesce(sum(greatest(ratio * cost_recommended_usd + coalesce(cost_margin_usd, 0), 0)), 0)
        into needed
        from jsonb_to_recordset(one->'rows') as r (cost_recommended_usd float8, cost_margin_usd float8,
          is_shadow boolean)
        where not is_shadow;
      if needed > 0 and not coalesce(spent + needed <= terms.usd - (one->>'kept_usd')::float8, true) then
        refused := refused || at;
      else
        taken := taken || (one->'rows');
        spent := spent + needed;
      end if;
      at := at + 1;
    end loop;
    if taken <> '[]' then perform append_decisions(account, taken); end if;
    return json_build_object('refused', to_json(refused), 'usd', coalesce(terms.usd, 0),
      'period', coalesce(terms.period, 'day'), 'startMs', extract(epoch from period_start) * 1000);`
}
