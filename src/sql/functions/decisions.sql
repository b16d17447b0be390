-- Functions that write an account's decisions, and read what recommendations and feedbacks look up by key.

-- Success in [0, 1] of an outcome by its name.
create or replace function success_of(outcome text) returns float8 language sql immutable parallel safe as $$
  select case outcome when 'success' then 1 when 'partial' then 0.5 when 'failure' then 0 end::float8
$$;

-- Takes rows that may be there already, and leaves those as they are. A row of another account than `account` is
-- refused, and the others of its call with it. A row has the table's columns by their names, its packed candidates
-- (`ledger/sql/PackedCandidates`), and what it is expected to cost (`domain/account/Spending`), which counts where the
-- account has a budget. A row that is given twice counts once. It yields how many are new.
create or replace function append_decisions(account text, decisions jsonb) returns int language plpgsql as $$
declare
  entered text := enter_account(account);
  added int;
begin
  with written as (
    insert into decision select d.* from jsonb_array_elements(decisions) as given, lateral
      jsonb_populate_record(null::decision, '{"is_shadow": false, "forecasts": []}'::jsonb || given) as d
    on conflict do nothing
    returning *
  ), derived as (
    select distinct on (recommendation_id) * from jsonb_to_recordset(decisions)
      as g (recommendation_id uuid, packed_candidates text, waiting_usd float8, margin_usd float8)
  ), spent as (
    insert into spend_change (account_id, hour, requests, billed_usd, billed_estimate_usd, waiting_usd, left_out_usd,
      margin_usd)
    select account, date_trunc('hour', w.created_at, 'UTC'), 1, 0, 0, g.waiting_usd, 0, g.margin_usd
    from written w join derived g using (recommendation_id)
    where exists (select from account_setting s where s.account_id = account and s.budget_usd is not null)
  )
  insert into decision_figures (account_id, created_at, recommendation_id, propensity, cost_recommended_usd,
    cost_premium_usd, cost_declared_usd, reasoner_cost_usd, waiting_usd, is_escalated, is_exploration, is_epsilon, is_shadow,
    is_late, teaches, is_trusted, lane, cluster, recommended_model_id, baseline_model_id,
    guarantee_baseline_id, guarantee_candidate_id, candidates, task_key, attempt_number)
  select w.account_id, w.created_at, w.recommendation_id, w.propensity, w.cost_recommended_usd,
    w.cost_premium_usd, w.cost_declared_usd, w.reasoner_cost_usd, g.waiting_usd, w.is_escalated, w.is_exploration,
    w.selection_policy = 'epsilon_softmax', w.is_shadow, false, false, false, w.lane,
    concat_ws(':', w.task_type, w.difficulty, w.unit), w.recommended_model_id,
    case when w.cost_declared_usd is not null then w.baseline_model_id end,
    w.guarantee_baseline_id, w.guarantee_candidate_id, decode(g.packed_candidates, 'base64'),
    w.task_key, w.attempt_number
  from written w join derived g using (recommendation_id) where w.account_id = account
  on conflict do nothing;
  get diagnostics added = row_count;
  return added;
end $$;

-- Decisions of these moments and ids, whole: what a reader does not select is not fetched.
create or replace function find_decisions(account text, moments timestamptz[], ids uuid[]) returns setof decision
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  entered text := enter_account(account);
  -- With these the plan does not begin with partitions that hold none of them.
  earliest timestamptz := (select min(each) from unnest(moments) as each);
  latest timestamptz := (select max(each) from unnest(moments) as each);
begin
  return query select found.* from unnest(moments, ids) as given (moment, id), lateral (
    select * from decision d where d.account_id = account and d.created_at = moment
      and d.recommendation_id = id and d.created_at between earliest and latest offset 0
  ) as found;
end $$;

-- What the reports of these decisions come to, likewise.
create or replace function find_outcomes(account text, moments timestamptz[], ids uuid[]) returns setof outcome
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  entered text := enter_account(account);
  earliest timestamptz := (select min(each) from unnest(moments) as each);
  latest timestamptz := (select max(each) from unnest(moments) as each);
begin
  return query select found.* from unnest(moments, ids) as given (moment, id), lateral (
    select * from outcome o where o.account_id = account and o.created_at = moment
      and o.recommendation_id = id and o.created_at between earliest and latest offset 0
  ) as found;
end $$;

-- The rows that recommendations look up again and again.
create or replace function lane_of(account text, of_lane text) returns setof lane language plpgsql as $$
declare
  entered text := enter_account(account);
begin
  return query select * from lane as t where t.account_id = account and t.lane = of_lane;
end $$;

-- A page of a lane's outcomes behind a version and an id, with their vectors of an embedder: those that teach and are newer
-- than the id `behind`, and telemetry (`measures` in `memory/index/Entry`) newer than `behind_measured`. By version and
-- id, because votes give their entries one version.
create or replace function outcomes_behind(account text, of_lane text, of_embedder text, after_version bigint, after_id uuid,
  behind uuid, behind_measured uuid, most int) returns table (outcome observation, vector_scale real, vector_bytes bytea)
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  entered text := enter_account(account);
begin
  return query select o, v.scale, v.vector from observation o left join lateral (
      select e.scale, e.vector from observation_vector e where e.account_id = account and e.lane = of_lane
        and e.observation_id = o.observation_id and e.embedder = of_embedder offset 0
    ) as v on true
    where o.account_id = account and o.lane = of_lane
      and (o.teaches and o.observation_id > behind or not o.teaches and o.provenance = 'none'
        and num_nonnulls(o.cost_usd, o.output_tokens, o.latency_ms) > 0 and o.observation_id > behind_measured)
      and o.version > 0 and o.version >= after_version
      and (o.version, o.observation_id) > (after_version, after_id)
    order by o.version, o.observation_id limit most;
end $$;

create or replace function lane_numbers_of(account text, of_lane text) returns setof lane_numbers language plpgsql as $$
declare
  entered text := enter_account(account);
begin
  return query select * from lane_numbers as t where t.account_id = account and t.lane = of_lane;
end $$;

create or replace function account_setting_of(account text) returns setof account_setting language plpgsql as $$
declare
  entered text := enter_account(account);
begin
  return query select * from account_setting as t where t.account_id = account;
end $$;

create or replace function account_models_of(account text) returns setof account_models language plpgsql as $$
declare
  entered text := enter_account(account);
begin
  return query select * from account_models as t where t.account_id = account;
end $$;

grant execute on function success_of, append_decisions, find_decisions, find_outcomes, lane_of,
  outcomes_behind, lane_numbers_of, account_setting_of, account_models_of
  to sextant_app, sextant_service;
