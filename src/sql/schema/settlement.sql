-- Functions that settle feedbacks: outcomes, votes, lessons, lanes' numbers and claims, each for all of a group. They
-- look up every row by its key (`enable_seqscan = off`): a plan is made when a connection first calls a function and
-- kept until the table is analysed; with tables that were small by then, each group would scan all of them for ever.

-- Inserts outcomes that are not stored and raises their counters, in one statement. A row without a version gets its
-- lane's, which the transaction has taken. `vectors` are rows of `embedder`, `scale` and `vector`, in base64; `task` are
-- the outcome's words, null where they are not kept here. The last values of a record are those of the outcome that
-- occurred last. An imported outcome makes no reflection due. The key of a due reflection names its outcome beside the
-- lane's count: a lane can reach the same count again after outcomes were deleted.
--
-- It yields an element for each inserted outcome: its position, the id of its record, the lane's count after it, and
-- whether it made a reflection due.
create function teach_outcomes(account text, news json) returns json
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
  result json;
begin
  with given as materialized (
    select * from json_to_recordset(news) as given (position int, lane text, observation_id uuid, version bigint,
      teaches boolean, task_type text, difficulty text, cluster text, tags text[], user_id text, model_id text,
      outcome text, quality float8, provenance text, provenance_weight float8, propensity float8,
      input_tokens float8, output_tokens float8, cost_usd float8, is_cost_outlier boolean, latency_ms float8,
      time_to_first_token_ms float8, occurred_at timestamptz, task text, vectors json, reflection_every int,
      revision bigint, verdict_revision bigint, import_id uuid)
  ), fresh as (
    insert into observation (account_id, version, lane, observation_id, teaches, task_type, difficulty, cluster,
      tags, user_id, model_id, outcome, quality, provenance, provenance_weight, propensity, input_tokens,
      output_tokens, cost_usd, is_cost_outlier, latency_ms, time_to_first_token_ms, occurred_at, revision,
      verdict_revision, import_id)
    select account, coalesce(given.version, (
        select l.version from lane l where l.account_id = account and l.lane = given.lane
      )), lane, observation_id, teaches, task_type, difficulty, cluster,
      tags, user_id, model_id, outcome, quality, provenance, provenance_weight, propensity, input_tokens,
      output_tokens, cost_usd, is_cost_outlier, latency_ms, time_to_first_token_ms, occurred_at, revision,
      verdict_revision, import_id
    from given order by position
    on conflict do nothing
    returning *
  ), placed as (
    insert into observation_vector (account_id, lane, observation_id, embedder, scale, vector)
    select account, fresh.lane, fresh.observation_id, v.embedder, v.scale, decode(v.vector, 'base64')
    from fresh join given using (lane, observation_id),
      json_to_recordset(given.vectors) as v (embedder text, scale real, vector text)
  ), worded as (
    insert into observation_text (account_id, lane, observation_id, task)
    select account, fresh.lane, fresh.observation_id, given.task
    from fresh join given using (lane, observation_id) where given.task is not null
    on conflict do nothing
  ), record as (
    insert into outcome_record as r (account_id, lane, cluster, model_id, record_id, outcomes,
      taught, successes, quality_sum, weight_sum, cost_usd_sum, cost_usd_count, input_tokens_sum,
      input_tokens_count, output_tokens_sum, output_tokens_count, latency_ms_sum, latency_ms_count,
      last_cost_usd, last_input_tokens, last_output_tokens, last_quality, updated_at)
    select f.account_id, f.lane, f.cluster, f.model_id, gen_random_uuid(), count(*), sum(f.teaches::int),
      sum((f.teaches and f.outcome = 'success')::int),
      sum(f.teaches::int * f.quality * f.provenance_weight), sum(f.teaches::int * f.provenance_weight),
      coalesce(sum(f.cost_usd), 0), count(f.cost_usd),
      coalesce(sum(f.input_tokens), 0), count(f.input_tokens),
      coalesce(sum(f.output_tokens), 0), count(f.output_tokens),
      coalesce(sum(f.latency_ms), 0), count(f.latency_ms),
      (array_agg(f.cost_usd order by position desc) filter (where f.cost_usd is not null))[1],
      (array_agg(f.input_tokens order by position desc) filter (where f.input_tokens is not null))[1],
      (array_agg(f.output_tokens order by position desc) filter (where f.output_tokens is not null))[1],
      (array_agg(f.quality order by position desc) filter (where f.teaches))[1], max(f.occurred_at)
    from fresh f join given using (lane, observation_id)
    group by f.account_id, f.lane, f.cluster, f.model_id
    order by f.lane, f.cluster, f.model_id
    on conflict (account_id, lane, cluster, model_id) do update set
      outcomes = r.outcomes + excluded.outcomes,
      taught = r.taught + excluded.taught,
      successes = r.successes + excluded.successes,
      quality_sum = r.quality_sum + excluded.quality_sum,
      weight_sum = r.weight_sum + excluded.weight_sum,
      cost_usd_sum = r.cost_usd_sum + excluded.cost_usd_sum,
      cost_usd_count = r.cost_usd_count + excluded.cost_usd_count,
      input_tokens_sum = r.input_tokens_sum + excluded.input_tokens_sum,
      input_tokens_count = r.input_tokens_count + excluded.input_tokens_count,
      output_tokens_sum = r.output_tokens_sum + excluded.output_tokens_sum,
      output_tokens_count = r.output_tokens_count + excluded.output_tokens_count,
      latency_ms_sum = r.latency_ms_sum + excluded.latency_ms_sum,
      latency_ms_count = r.latency_ms_count + excluded.latency_ms_count,
      last_cost_usd = case when excluded.updated_at >= r.updated_at
        then coalesce(excluded.last_cost_usd, r.last_cost_usd)
        else coalesce(r.last_cost_usd, excluded.last_cost_usd) end,
      last_input_tokens = case when excluded.updated_at >= r.updated_at
        then coalesce(excluded.last_input_tokens, r.last_input_tokens)
        else coalesce(r.last_input_tokens, excluded.last_input_tokens) end,
      last_output_tokens = case when excluded.updated_at >= r.updated_at
        then coalesce(excluded.last_output_tokens, r.last_output_tokens)
        else coalesce(r.last_output_tokens, excluded.last_output_tokens) end,
      last_quality = case when excluded.updated_at >= r.updated_at
        then coalesce(excluded.last_quality, r.last_quality)
        else coalesce(r.last_quality, excluded.last_quality) end,
      updated_at = greatest(excluded.updated_at, r.updated_at)
    returning r.lane, r.cluster, r.model_id, r.record_id
  ), counted as (
    update lane set taught = lane.taught + added.taught
    from (select lane, sum(teaches::int) as taught from fresh group by lane order by lane) as added
    where lane.account_id = account and lane.lane = added.lane
    returning lane.lane, lane.taught - added.taught as before
  ), numbered as (
    select given.position, f.lane, f.observation_id, f.cluster, f.model_id, f.teaches, f.provenance, f.outcome,
      f.import_id, given.reflection_every,
      counted.before + sum(f.teaches::int) over (partition by f.lane order by given.position) as lane_taught
    from fresh f join given using (lane, observation_id) join counted using (lane)
  ), due as (
    insert into reflection (account_id, lane, crossing, observation_id)
    select account, lane, crossing, observation_id
    from numbered, lateral (values
      ('taught:' || lane_taught || ':' || observation_id, lane_taught % nullif(reflection_every, 0) = 0),
      ('gate:' || observation_id, provenance = 'gate' and outcome = 'failure')
    ) as cause (crossing, is_cause)
    where teaches and import_id is null and is_cause
    on conflict do nothing
    returning lane, observation_id
  )
  select coalesce(json_agg(each), '[]') into result from (
    select n.position, record.record_id as "recordId", n.lane_taught as "laneTaught", exists (
      select from due d where d.lane = n.lane and d.observation_id = n.observation_id) as "isDue"
    from numbered n join record using (lane, cluster, model_id)
  ) as each;
  return result;
end $$;

-- The reliability of an entry with these votes that occurred at `since`, as `memory/index/Entry` defines it. Two
-- centuries are the highest age: nothing is left by then, and an underflow would be an error.
create function entry_reliability(ups int, downs int, since timestamptz, at timestamptz,
  half_life_days float8, prior_ups float8, prior_weight float8) returns float8
  language sql immutable parallel safe as $$
  select 0.5 + ((prior_ups + ups) / (prior_weight + ups + downs) - 0.5)
    * exp(-ln(2) / half_life_days
      * least(73000::float8, greatest(0, extract(epoch from at - since)::float8 / 86400)))
$$;

-- Votes on the entries of their lanes, up to each actor's most votes of a day; votes up count on the records of
-- (cluster, model) too. A reinforcement whose id has voted before does not vote again and is answered with what it then
-- voted up. A label that was replaced since does not vote. One statement reads, counts and votes, so that all of it sees
-- the same rows, which are locked in the order of their ids. A row without a version gets its lane's, which the
-- transaction has taken.
--
-- It yields an element for each row of `reinforcements`: the entries voted up in the order of `entry_ids`, and the mean
-- reliability afterwards of all that were found, null without any.
create function cast_votes(account text, reinforcements json) returns json
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
  result json;
begin
  with given as (
    select given.*, (occurred_at at time zone 'UTC')::date as day, (
      select voted_up from reinforcement r where r.account_id = account and r.lane = given.lane
        and r.reinforcement_id = given.reinforcement_id
    ) as voted_before, exists (
      select from observation n where n.account_id = account and n.lane = given.lane
        and n.observation_id = given.reinforcement_id and n.verdict_revision > given.revision
    ) as is_outdated
    from json_to_recordset(reinforcements) as given (position int, lane text, reinforcement_id uuid,
      actor text, occurred_at timestamptz, quality float8, version bigint, votes_max int, entry_ids uuid[],
      revision bigint, agreement_width float8, at timestamptz, half_life_days float8, prior_ups float8,
      prior_weight float8)
  ), asked as (
    select given.position, given.actor, given.day, given.version, given.votes_max, given.voted_before,
      given.is_outdated, o.lane, o.observation_id, o.cluster, o.model_id, o.votes_up, o.votes_down,
      o.occurred_at, abs(o.quality - given.quality) < given.agreement_width as agrees
    from given, lateral (
      select * from observation o where o.account_id = account and o.lane = given.lane
        and o.observation_id = any(given.entry_ids) and o.teaches
      -- Looked up one by one: taken for a join, it is planned for more rows than there ever are.
      offset 0
    ) o
  ), counting as (
    select asked.*, row_number() over (
      partition by lane, observation_id, actor, day order by position
    ) + coalesce((
      select votes from vote v where v.account_id = account and v.lane = asked.lane
        and v.observation_id = asked.observation_id and v.actor = asked.actor
        -- No index has the sum: by that of days, all votes of the day were read for each entry.
        and v.day + 0 = asked.day
    ), 0) as votes
    from asked where voted_before is null and not is_outdated
  ), cast_now as (
    select * from counting where votes <= votes_max
  ), counted as (
    insert into vote (account_id, lane, observation_id, actor, day, votes)
    select account, lane, observation_id, actor, day, count(*) from cast_now
    group by lane, observation_id, actor, day order by lane, observation_id
    on conflict (account_id, lane, observation_id, actor, day) do update
      set votes = vote.votes + excluded.votes
  ), voted as (
    update observation o set votes_up = o.votes_up + c.up, votes_down = o.votes_down + c.down,
      version = coalesce(c.version, (
        select l.version from lane l where l.account_id = account and l.lane = c.lane))
    from (
      select lane, observation_id, sum(agrees::int) as up, sum((not agrees)::int) as down,
        max(version) as version
      from cast_now group by lane, observation_id order by lane, observation_id
    ) c
    where o.account_id = account and o.lane = c.lane and o.observation_id = c.observation_id
    returning o.lane, o.observation_id, o.votes_up, o.votes_down
  ), credited as (
    update outcome_record r set reinforcement = r.reinforcement + c.votes
    from (
      select lane, cluster, model_id, count(*)::int as votes from cast_now where agrees
      group by lane, cluster, model_id order by lane, cluster, model_id
    ) c
    where r.account_id = account and r.lane = c.lane and r.cluster = c.cluster and r.model_id = c.model_id
  ), recorded as (
    insert into reinforcement (account_id, lane, reinforcement_id, voted_up, voted_down)
    select account, given.lane, given.reinforcement_id,
      coalesce(array_agg(c.observation_id) filter (where c.agrees), '{}'),
      coalesce(array_agg(c.observation_id) filter (where not c.agrees), '{}')
    from given left join cast_now c using (position)
    where given.reinforcement_id is not null and given.voted_before is null and not given.is_outdated
    group by given.position, given.lane, given.reinforcement_id
  ), answered as (
    select given.position, array_position(given.entry_ids, asked.observation_id) as place,
      asked.observation_id, entry_reliability(
        coalesce(voted.votes_up, asked.votes_up), coalesce(voted.votes_down, asked.votes_down),
        asked.occurred_at, given.at, given.half_life_days, given.prior_ups, given.prior_weight
      ) as reliability,
      coalesce(asked.observation_id = any(given.voted_before), c.agrees, false) as is_voted_up
    from given
    left join asked on asked.position = given.position
    left join cast_now c on c.position = asked.position and c.observation_id = asked.observation_id
    left join voted on voted.lane = asked.lane and voted.observation_id = asked.observation_id
  )
  select coalesce(json_agg(each), '[]') into result from (
    select position,
      coalesce(array_agg(observation_id::text order by place) filter (where is_voted_up), '{}') as "entryIds",
      sum(reliability order by place) / nullif(count(observation_id), 0) as "updatedConfidence"
    from answered group by position
  ) as each;
  return result;
end $$;

-- Keeps lessons; one with the same id is kept once. One that came with a label is not kept when its outcome has another
-- by now.
create function keep_lessons(account text, lessons json) returns void
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
begin
  insert into lesson (account_id, lane, lesson_id, lesson_type, scope, content, cluster, model_id,
    importance, confidence, base_confidence, occurred_at, topic, user_id, error_fingerprint, error_type,
    error_headline, error_tokens)
  select account, lane, lesson_id, lesson_type, scope, content, cluster, model_id, importance, confidence,
    base_confidence, occurred_at, topic, user_id, error_fingerprint, error_type, error_headline,
    error_tokens
  from json_to_recordset(lessons) as given (lesson_id text, lane text, lesson_type text, scope text,
    content text, cluster text, model_id text, importance float8, confidence float8,
    base_confidence float8, occurred_at timestamptz, topic text, user_id text, error_fingerprint text,
    error_type text, error_headline text, error_tokens text[], revision bigint, outcome_id uuid)
  -- Looked up one by one: a join was planned by a scan of all outcomes.
  where (select o.verdict_revision > given.revision from observation o where o.account_id = account
    and o.lane = given.lane and o.observation_id = given.outcome_id) is not true
  on conflict do nothing;
end $$;

-- Settles feedbacks that are the first of their decisions, all or none: takes their claims, reports, outcomes, votes,
-- lessons and changes of lanes' numbers, and stores their answers, completed by what memory answers. The locks are taken
-- in the order in which a settlement in several statements takes them.
--
-- Nothing is kept where something is not as it was read. `unsettled` then says so: `keys`, which are claimed already;
-- `decisions`, which are gone or have feedback; `outcomes`, true where one is stored already; or `numbers`, the lanes
-- whose numbers rest on other counts, with the present ones.
--
-- A settled group yields `lanes` with their versions, `taught` and `voted` by position, and `numbers`.
create function settle_feedbacks(account text, claims json, moments timestamptz[], reports json, written_lanes json,
  news json, reinforcements json, lessons json, numbers json) returns json
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
  conflict json;
  versions json;
  taught_now json;
  voted_now json;
  numbers_now json;
begin
  -- What a raise rolls back, this block took; its locks on decisions and lanes are free again.
  begin
    with given as (
      select * from json_to_recordset(claims) as c (key text, fingerprint text, report jsonb)
    ), won as (
      insert into feedback_key (account_id, idempotency_key, fingerprint, report, created_at)
      select account, key, fingerprint, report, now() from given order by key
      on conflict do nothing returning idempotency_key
    )
    select json_agg(key) into conflict from given
      where not exists (select from won where won.idempotency_key = given.key);
    if conflict is not null then
      conflict := json_build_object('keys', conflict);
      raise exception using errcode = 'SX001';
    end if;

    with given as (
      select * from json_to_recordset(reports)
        as r (recommendation_id uuid, created_at timestamptz,
            feedback_at timestamptz, chosen_model_id text, outcome text, quality float8, provenance text,
            error_cause text, teaches boolean, is_late boolean, actual_cost_usd float8, input_tokens
            bigint, output_tokens bigint, actual_latency_ms float8, computed_cost_usd float8,
            cached_input_tokens bigint, reasoning_tokens bigint, time_to_first_token_ms float8, outcomes
            jsonb)
    ), counted as (
      update decision d set
          feedback_at = given.feedback_at, chosen_model_id = given.chosen_model_id, outcome = given.outcome,
          quality = given.quality, provenance = given.provenance, error_cause = given.error_cause,
          teaches = given.teaches, is_late = given.is_late, actual_cost_usd = given.actual_cost_usd,
          input_tokens = given.input_tokens, output_tokens = given.output_tokens, actual_latency_ms =
          given.actual_latency_ms, computed_cost_usd = given.computed_cost_usd, cached_input_tokens =
          given.cached_input_tokens, reasoning_tokens = given.reasoning_tokens, time_to_first_token_ms =
          given.time_to_first_token_ms, outcomes = given.outcomes
      from given
      where d.account_id = account and d.created_at = given.created_at
        and d.recommendation_id = given.recommendation_id and d.created_at = any(moments)
        and d.outcomes is null and d.feedback_at is null
      returning d.recommendation_id
    )
    select json_agg(recommendation_id) into conflict from given
      where not exists (select from counted where counted.recommendation_id = given.recommendation_id);
    if conflict is not null then
      conflict := json_build_object('decisions', conflict);
      raise exception using errcode = 'SX001';
    end if;

    with taken as (
      insert into lane (account_id, lane, version)
      select account, name, writes from json_to_recordset(written_lanes) as w (name text, writes bigint)
      order by name
      on conflict (account_id, lane) do update set version = lane.version + excluded.version
      returning lane.lane, lane.version
    )
    select json_object_agg(lane, version) into versions from taken;

    taught_now := teach_outcomes(account, news);
    if json_array_length(taught_now) < json_array_length(news) then
      conflict := json_build_object('outcomes', true);
      raise exception using errcode = 'SX001';
    end if;
    voted_now := '[]';
    if json_array_length(reinforcements) > 0 then
      voted_now := cast_votes(account, reinforcements);
    end if;
    if json_array_length(lessons) > 0 then
      perform keep_lessons(account, lessons);
    end if;

    numbers_now := '[]';
    if json_array_length(numbers) > 0 then
      with given as (
        select * from json_to_recordset(numbers) as g (lane text, known bigint, steady bigint, count bigint,
          step float8, low float8, high float8, share_a float8, share_b float8, share_c float8, share_d float8,
          cells float8, mixed float8, fresh_low float8, fresh_high float8, fresh_share float8,
          fresh_cells float8, fresh_mixed float8, fresh_count bigint)
      ), moved as (
        update lane_numbers n set outcomes = n.outcomes + g.count,
          similarity_low = n.similarity_low + g.step * (g.low - n.similarity_low),
          similarity_high = n.similarity_high + g.step * (g.high - n.similarity_high),
          local_share = (g.share_a * n.local_share + g.share_b) / (g.share_c * n.local_share + g.share_d),
          cells_error = n.cells_error + g.cells, mixed_error = n.mixed_error + g.mixed
        from (select * from given order by lane) g
        where n.account_id = account and n.lane = g.lane
          and (n.outcomes = g.known or least(n.outcomes, g.known) >= g.steady)
        returning n.*
      ), made as (
        insert into lane_numbers as n (account_id, lane, outcomes, similarity_low, similarity_high,
          local_share, cells_error, mixed_error)
        select account, lane, fresh_count, fresh_low, fresh_high, fresh_share, fresh_cells, fresh_mixed
        from given where not exists (
          select from lane_numbers l where l.account_id = account and l.lane = given.lane)
        on conflict do nothing
        returning n.*
      )
      select json_agg(each) into numbers_now from (
        select lane, outcomes, similarity_low as "similarityLow", similarity_high as "similarityHigh",
          local_share as "localShare", cells_error as "cellsError", mixed_error as "mixedError"
        from (select * from moved union all select * from made) as n
      ) as each;
    end if;
    if json_array_length(coalesce(numbers_now, '[]')) < json_array_length(numbers) then
      conflict := json_build_object('numbers', (
        select json_object_agg(n.lane, n.outcomes)
        from json_to_recordset(numbers) as g (lane text)
        join lane_numbers n on n.account_id = account and n.lane = g.lane));
      raise exception using errcode = 'SX001';
    end if;

    update feedback_key f set response = given.response
      || jsonb_build_object('record_id', t."recordId", 'reflection_triggered', t."isDue")
      || case when v.position is null then '{}' else jsonb_build_object(
        'reinforced_entry_ids', v."entryIds", 'updated_confidence', v."updatedConfidence") end
    from json_to_recordset(claims) as given (position int, key text, response jsonb)
      join json_to_recordset(taught_now) as t (position int, "recordId" uuid, "isDue" boolean)
        on t.position = given.position
      left join json_to_recordset(voted_now)
        as v (position int, "entryIds" jsonb, "updatedConfidence" jsonb) on v.position = given.position
    where f.account_id = account and f.idempotency_key = given.key;
  exception when sqlstate 'SX001' then
    return json_build_object('unsettled', conflict);
  end;
  return json_build_object(
    'lanes', versions, 'taught', taught_now, 'voted', voted_now, 'numbers', numbers_now);
end $$;

grant execute on function teach_outcomes, entry_reliability, cast_votes, keep_lessons, settle_feedbacks
  to sextant_app, sextant_service;
