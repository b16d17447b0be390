-- How a decision's figures follow it, by a trigger on `decision`.

-- Candidates as reports read them, without parsing JSON: two bytes with the position of the recommended one, from 1, 0
-- for none; two with their number; then 23 bytes each: six of the MD5 of the model's id, prediction and estimated cost
-- as float8, and whether it was eligible. PL/pgSQL, because it keeps its plans from one statement to the next.
create or replace function packed_candidates(candidates jsonb, recommended text) returns bytea
  language plpgsql immutable parallel safe as $$
begin
  return (
    select int2send(coalesce(max(position) filter (where tuple->>0 = recommended), 0)::int2)
      || int2send(count(*)::int2)
      || coalesce(string_agg(
        substr(decode(md5(tuple->>0), 'hex'), 1, 6)
          || float8send((tuple->1)::float8) || float8send((tuple->2)::float8)
          || case when (tuple->3)::boolean then '\x01'::bytea else '\x00'::bytea end,
        ''::bytea), ''::bytea)
    from jsonb_array_elements(candidates) with ordinality as each(tuple, position));
end $$;

create or replace function success_of(outcome text) returns float8 language sql immutable parallel safe as $$
  select case outcome when 'success' then 1 when 'partial' then 0.5 when 'failure' then 0 end::float8
$$;

-- Says to the triggers of decisions whether the statements that follow write the figures themselves (`written`), and
-- whether the account has a budget, whose spending they must keep. A row's trigger that has nothing to do is not called.
create or replace function ledger_triggers(account text, figures text) returns text language plpgsql as $$
declare
  entered text := set_config('app.figures', figures, true);
begin
  if figures = 'written' and not exists (select from account_setting s
    where s.account_id = account and s.budget_usd is not null) then
    return set_config('app.spend', 'none', true);
  end if;
  return set_config('app.spend', '', true);
end $$;

-- The quality that a model's outcome taught: a success without a score is recorded as 0.9 and taught as 1.
create or replace function taught_quality(outcomes jsonb, model_id text, recorded float8) returns float8
  language sql immutable as $$
  select coalesce((select (each -> 'label' ->> 'taughtQuality')::float8 from jsonb_array_elements(outcomes) as each
    where each ->> 'modelId' = model_id limit 1), recorded)
$$;

-- Keeps the figures like their decision in the same transaction, whichever statement writes it. `append_decisions` and
-- `settle_feedbacks` write those of their rows themselves, by one statement for all, and say so.
create or replace function keep_decision_figures() returns trigger
  language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  if tg_op = 'INSERT' then
    insert into decision_figures (account_id, created_at, recommendation_id, propensity, cost_recommended_usd,
      cost_premium_usd, cost_declared_usd, reasoner_cost_usd, is_escalated, is_exploration, is_epsilon, is_shadow,
      lane, cluster, recommended_model_id, baseline_model_id, guarantee_baseline_id, guarantee_candidate_id,
      candidates, is_late, teaches, is_trusted, task_key, attempt_number)
    values (new.account_id, new.created_at, new.recommendation_id, new.propensity, new.cost_recommended_usd,
      new.cost_premium_usd, new.cost_declared_usd, new.reasoner_cost_usd, new.is_escalated, new.is_exploration,
      new.selection_policy = 'epsilon_softmax', new.is_shadow, new.lane,
      concat_ws(':', new.task_type, new.difficulty, new.unit), new.recommended_model_id,
      case when new.cost_declared_usd is not null then new.baseline_model_id end,
      new.guarantee_baseline_id, new.guarantee_candidate_id,
      packed_candidates(new.candidates, new.recommended_model_id), false, false, false, new.task_key,
      new.attempt_number);
  elsif tg_op = 'DELETE' then
    delete from decision_figures
    where account_id = old.account_id and created_at = old.created_at
      and recommendation_id = old.recommendation_id;
    return null;
  end if;
  if new.feedback_at is null and tg_op = 'INSERT' then return null; end if;
  update decision_figures set
    feedback_at = new.feedback_at,
    task_key = new.task_key,
    is_late = coalesce(new.is_late, false),
    teaches = coalesce(new.teaches, false),
    is_trusted = coalesce(new.teaches and new.provenance in ('gate', 'human'), false),
    success = success_of(new.outcome),
    quality = taught_quality(new.outcomes, new.chosen_model_id, new.quality),
    actual_cost_usd = new.actual_cost_usd,
    computed_cost_usd = new.computed_cost_usd,
    chosen_model_id = new.chosen_model_id,
    chosen_position = chosen.last_position,
    taught_prediction = case when new.teaches then chosen.prediction end
  from (
    select max(position) as last_position, (array_agg((tuple->1)::float8 order by position))[1] as prediction
    from jsonb_array_elements(new.candidates) with ordinality as each(tuple, position)
    where tuple->>0 = new.chosen_model_id
  ) as chosen
  where account_id = new.account_id and created_at = new.created_at
    and recommendation_id = new.recommendation_id;
  return null;
end $$;
-- Every role may run a new function, unless a hardened database says otherwise.
grant execute on function packed_candidates, success_of, ledger_triggers to sextant_app;
