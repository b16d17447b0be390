-- Functions that write an account's decisions, and look up rows by key for recommendations and feedback.

-- Success in [0, 1] of an outcome by its name.
create or replace function success_of(outcome text) returns float8 language sql immutable parallel safe as $$
  select case outcome when 'success' then 1 when 'partial' then 0.5 when 'failure' then 0 end::float8
$$;

-- Writes decisions and returns the number of new ones. Each decision is one element of every array (`rowColumns` of
-- `ledger/sql/DecisionRow`). A decision that exists already does not change. If the account has a budget, the expected
-- cost and the reserve of each new decision are added to its spending (`domain/account/Spending`).
create or replace function append_decisions(account text, moments timestamptz[], ids uuid[], users text[],
  tag_lists text[], excerpts text[], vectors text[], bodies bytea[], propensities float8[], recommended_usd float8[],
  premium_usd float8[], declared_usd float8[], reasoner_usd float8[], waiting float8[], escalated boolean[],
  exploring boolean[], epsilon boolean[], shadow boolean[], lanes text[], clusters text[], recommended text[],
  baselines text[], guarantee_baselines text[], guarantee_candidates text[], packed bytea[], tasks text[],
  attempts int2[], margins float8[]) returns int language plpgsql as $$
declare
  entered text := enter_account(account);
  fresh uuid[];
begin
  with written as (
    insert into decision_figures (account_id, created_at, recommendation_id, propensity, cost_recommended_usd,
      cost_premium_usd, cost_declared_usd, reasoner_cost_usd, waiting_usd, is_escalated, is_exploration, is_epsilon,
      is_shadow, lane, cluster, recommended_model_id, baseline_model_id, guarantee_baseline_id, guarantee_candidate_id,
      candidates, task_key, attempt_number)
    select account, given.* from unnest(moments, ids, propensities, recommended_usd, premium_usd, declared_usd,
      reasoner_usd, waiting, escalated, exploring, epsilon, shadow, lanes, clusters, recommended, baselines,
      guarantee_baselines, guarantee_candidates, packed, tasks, attempts) as given
    on conflict do nothing
    returning recommendation_id
  ) select array_agg(w.recommendation_id) into fresh from written w;
  if exists (select from account_setting s where s.account_id = account and s.budget_usd is not null) then
    insert into spend_change (account_id, hour, requests, billed_usd, billed_estimate_usd, waiting_usd, left_out_usd,
      margin_usd)
    select account, date_trunc('hour', g.moment, 'UTC'), 1, 0, 0, g.waiting, 0, g.margin
    from (
      select distinct on (id) * from unnest(ids, moments, waiting, margins) as each (id, moment, waiting, margin)
    ) as g where g.id = any(fresh);
  end if;
  insert into decision (account_id, created_at, recommendation_id, user_id, tags, task_excerpt, task_vectors, body)
  select account, moment, id, user_id, tags::text[], excerpt, vector::jsonb, body
  from unnest(moments, ids, users, tag_lists, excerpts, vectors, bodies)
    as given (moment, id, user_id, tags, excerpt, vector, body)
  on conflict do nothing;
  return coalesce(cardinality(fresh), 0);
end $$;

-- Whole decisions by their times and ids. PostgreSQL reads only the columns that the caller selects.
create or replace function find_decisions(account text, moments timestamptz[], ids uuid[]) returns setof decision
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  entered text := enter_account(account);
  -- With these bounds PostgreSQL skips the partitions of other months.
  earliest timestamptz := (select min(each) from unnest(moments) as each);
  latest timestamptz := (select max(each) from unnest(moments) as each);
begin
  return query select found.* from unnest(moments, ids) as given (moment, id), lateral (
    select * from decision d where d.account_id = account and d.created_at = moment
      and d.recommendation_id = id and d.created_at between earliest and latest offset 0
  ) as found;
end $$;

-- The results of these decisions' reports, by the decisions' times and ids.
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

-- A lane's row, which recommendations look up often.
create or replace function lane_of(account text, of_lane text) returns setof lane language plpgsql as $$
declare
  entered text := enter_account(account);
begin
  return query select * from lane as t where t.account_id = account and t.lane = of_lane;
end $$;

-- A page of a lane's outcomes after a version and an id, with the vectors of one embedder. It has outcomes that teach and
-- are newer than the id `behind`, and telemetry (`measures` in `memory/index/Entry`) newer than `behind_measured`. The
-- order is version and id, because outcomes that one vote changed share a version.
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
