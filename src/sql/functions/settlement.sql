-- Functions that settle feedbacks: outcomes, votes, lessons, lanes' numbers and claims, each for all of a group. They
-- look up every row by its key (`enable_seqscan = off`): a plan is made when a connection first calls a function and
-- kept until the table is analysed; with tables that were small by then, each group would scan all of them for ever.

-- An outcome as it is told.
if to_regtype('told_outcome') is null then
  create type told_outcome as (position int, lane text, observation_id uuid, teaches boolean,
    task_type text, difficulty text, cluster text, tags text[], user_id text, model_id text, outcome text,
    quality float8, provenance text, provenance_weight float8, propensity float8, input_tokens float8,
    output_tokens float8, cost_usd float8, is_cost_outlier boolean, latency_ms float8, time_to_first_token_ms float8,
    occurred_at timestamptz, task text, vectors json, reflection_every int, revision bigint, verdict_revision bigint,
    import_id uuid);
end if;

-- Takes back the votes that came with these outcomes, which no longer count toward their actors' most of a day. The
-- transaction has taken the lane's version.
create or replace function take_back_votes(account text, of_lane text, ids uuid[]) returns void
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
begin
  with cast_before as (
    delete from reinforcement r where r.account_id = account and r.lane = of_lane and r.reinforcement_id = any(ids)
    returning *
  ), taken as materialized (
    select v.entry, v.up, coalesce(own.user_id, '') as actor, (own.occurred_at at time zone 'UTC')::date as day
    from cast_before c, lateral (
      select o.user_id, o.occurred_at from observation o where o.account_id = account and o.lane = of_lane
        and o.observation_id = c.reinforcement_id offset 0
    ) as own, lateral (
      select unnest(c.voted_up) as entry, 1 as up union all select unnest(c.voted_down), 0
    ) as v
  ), fewer as materialized (
    select held.place, held.votes - t.votes as votes from (
      select entry, actor, day, count(*)::int as votes from taken group by entry, actor, day
    ) as t, lateral (
      select v.ctid as place, v.votes from vote v where v.account_id = account and v.lane = of_lane
        and v.observation_id = t.entry and v.actor = t.actor and v.day = t.day offset 0
    ) as held
  ), gone as (
    delete from vote v using fewer f where v.ctid = f.place and f.votes <= 0
  ), lowered as (
    update vote v set votes = f.votes from fewer f where v.ctid = f.place and f.votes > 0
  ), uncounted as (
    update observation o set votes_up = o.votes_up - held.up, votes_down = o.votes_down - held.down,
      version = (select l.version from lane l where l.account_id = account and l.lane = of_lane)
    from (
      select own.place, t.up, t.down from (
        select entry, sum(up)::int as up, count(*)::int - sum(up)::int as down from taken group by entry
      ) as t, lateral (
        select o.ctid as place from observation o where o.account_id = account and o.lane = of_lane
          and o.observation_id = t.entry offset 0
      ) as own
    ) as held
    where o.ctid = held.place
    returning o.cluster, o.model_id, held.up
  )
  update outcome_record r set reinforcement = r.reinforcement - held.up
  from (
    select own.place, u.up from (
      select cluster, model_id, sum(up) as up from uncounted group by cluster, model_id
    ) as u, lateral (
      select o.ctid as place from outcome_record o where o.account_id = account and o.lane = of_lane
        and o.cluster = u.cluster and o.model_id = u.model_id offset 0
    ) as own
  ) as held
  where r.ctid = held.place and held.up > 0;
end $$;

-- Tells outcomes, each once: inserts those that are not stored, and puts one of a higher revision in the place of what is
-- stored of it, in every count; one of no higher revision changes nothing. A label of a higher revision takes back what came
-- with the label before, its votes and its lessons. A record has the values that were told last, of what occurred no
-- earlier than what it had. The transaction has taken the lanes' versions, so that no other writes to them meanwhile.
-- `vectors` are rows of `embedder`, `scale` and `vector`, in base64; `task` are the outcome's words, null where they are not
-- kept here. An outcome that has words or a vector of an embedder keeps them. An imported outcome makes no reflection due,
-- and changes nothing where it is stored. The key of a due reflection names its outcome beside the lane's count: a lane can
-- reach the same count again after outcomes were deleted.
--
-- The planner takes the outcomes for one row, by a condition that all meet: it then looks each row up by its key. What is
-- compared with a key is made before: under row-level security a cast in a condition keeps it out of the index.
--
-- It yields an element for each outcome: its position, whether it is new, the id of its record, the lane's count after it,
-- and whether it made a reflection due.
create or replace function tell_outcomes(account text, news json) returns json
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  entered text := enter_account(account);
  told told_outcome[];
  relabelled record;
  result json;
begin
  select array_agg(t) into told from json_populate_recordset(null::told_outcome, news) as t;
  for relabelled in
    select given.lane, array_agg(given.observation_id) as ids
    from unnest(told) as given, lateral (
      select o.revision, o.verdict_revision from observation o where o.account_id = account and o.lane = given.lane
        and o.observation_id = given.observation_id offset 0
    ) as old
    where given.position = abs(given.position) and old.revision < given.revision
      and old.verdict_revision < given.verdict_revision and exists (
        select from reinforcement r where r.account_id = account and r.lane = given.lane
          and r.reinforcement_id = given.observation_id)
    group by given.lane
  loop
    perform take_back_votes(account, relabelled.lane, relabelled.ids);
  end loop;
  with known as materialized (
    select given.*, given.observation_id::text as lesson_id, old.place, old.place is null as is_new,
      coalesce(old.cluster, given.cluster) as record_cluster, coalesce(old.model_id, given.model_id) as record_model,
      coalesce(old.revision < given.revision, true) as is_told,
      coalesce(old.revision < given.revision and old.verdict_revision < given.verdict_revision, true) as is_relabelled,
      coalesce(old.teaches, false) as had_taught
    from unnest(told) as given left join lateral (
      select o.*, o.ctid as place from observation o where o.account_id = account and o.lane = given.lane
        and o.observation_id = given.observation_id offset 0
    ) as old on true
    where given.position = abs(given.position)
  ), unsaid as (
    delete from lesson l using known k, lateral (
      select o.ctid as place from lesson o where o.account_id = account and o.lane = k.lane
        and o.lesson_id = k.lesson_id offset 0
    ) as held
    where not k.is_new and k.is_relabelled and l.ctid = held.place
  ), counted as (
    update lane set taught = lane.taught + added.taught
    from (
      select k.lane, sum(case when k.is_told then k.teaches::int - k.had_taught::int else 0 end) as taught
      from known k group by k.lane
    ) as added, lateral (
      select o.ctid as place from lane o where o.account_id = account and o.lane = added.lane offset 0
    ) as held
    where lane.ctid = held.place
    returning lane.lane, lane.version, lane.taught - added.taught as before
  ), numbered as (
    select k.*, counted.version as lane_version, counted.before + sum(
        case when k.is_told then k.teaches::int - k.had_taught::int else 0 end
      ) over (partition by k.lane order by k.position) as lane_taught
    from known k join counted using (lane)
  ), inserted as (
    insert into observation (account_id, version, lane, observation_id, teaches, task_type, difficulty, cluster,
      tags, user_id, model_id, outcome, quality, provenance, provenance_weight, propensity, input_tokens,
      output_tokens, cost_usd, is_cost_outlier, latency_ms, time_to_first_token_ms, occurred_at, revision,
      verdict_revision, import_id)
    select account, lane_version, lane, observation_id, teaches, task_type, difficulty, cluster,
      tags, user_id, model_id, outcome, quality, provenance, provenance_weight, propensity, input_tokens,
      output_tokens, cost_usd, is_cost_outlier, latency_ms, time_to_first_token_ms, occurred_at, revision,
      verdict_revision, import_id
    from numbered where is_new order by position
  ), placed as (
    update observation o set version = n.lane_version, teaches = n.teaches, outcome = n.outcome, quality = n.quality,
      provenance = n.provenance, provenance_weight = n.provenance_weight, propensity = n.propensity,
      input_tokens = n.input_tokens, output_tokens = n.output_tokens, cost_usd = n.cost_usd,
      latency_ms = n.latency_ms, time_to_first_token_ms = n.time_to_first_token_ms, occurred_at = n.occurred_at,
      revision = n.revision, verdict_revision = n.verdict_revision, is_cost_outlier = n.is_cost_outlier
    from numbered n where not n.is_new and n.is_told and o.ctid = n.place
  ), pictured as (
    insert into observation_vector (account_id, lane, observation_id, embedder, scale, vector)
    select account, k.lane, k.observation_id, v.embedder, v.scale, decode(v.vector, 'base64')
    from known k, json_to_recordset(k.vectors) as v (embedder text, scale real, vector text)
    where k.is_new or k.import_id is null
    on conflict do nothing
  ), worded as (
    insert into observation_text (account_id, lane, observation_id, task)
    select account, k.lane, k.observation_id, k.task from known k where k.task is not null
    on conflict do nothing
  ), record as (
    -- Of outcomes that change nothing too, which are answered with its id.
    insert into outcome_record as r (account_id, lane, cluster, model_id, record_id, outcomes, updated_at,
      last_cost_usd, last_input_tokens, last_output_tokens, last_quality)
    select account, k.lane, k.record_cluster, k.record_model, gen_random_uuid(), sum(k.is_new::int),
      coalesce(max(k.occurred_at) filter (where k.is_told), '-infinity'),
      (array_agg(k.cost_usd order by k.position desc) filter (where k.is_told and k.cost_usd is not null))[1],
      (array_agg(k.input_tokens order by k.position desc) filter (where k.is_told and k.input_tokens is not null))[1],
      (array_agg(k.output_tokens order by k.position desc) filter (where k.is_told and k.output_tokens is not null))[1],
      (array_agg(k.quality order by k.position desc) filter (where k.is_told and k.teaches))[1]
    from known k group by k.lane, k.record_cluster, k.record_model
    order by k.lane, k.record_cluster, k.record_model
    on conflict (account_id, lane, cluster, model_id) do update set
      outcomes = r.outcomes + excluded.outcomes, updated_at = greatest(excluded.updated_at, r.updated_at),
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
        else coalesce(r.last_quality, excluded.last_quality) end
    returning r.lane, r.cluster as record_cluster, r.model_id as record_model, r.record_id
  ), due as (
    insert into reflection (account_id, lane, crossing, observation_id)
    select account, n.lane, crossing, n.observation_id
    from numbered n, lateral (values
      ('taught:' || n.lane_taught || ':' || n.observation_id, n.teaches and not n.had_taught
        and n.lane_taught % nullif(n.reflection_every, 0) = 0),
      ('gate:' || n.observation_id, n.is_relabelled and n.teaches and n.provenance = 'gate' and n.outcome = 'failure')
    ) as cause (crossing, is_cause)
    where n.is_told and n.import_id is null and is_cause
    on conflict do nothing
    returning lane, observation_id
  )
  select coalesce(json_agg(each), '[]') into result from (
    select n.position, n.is_new as "isNew", record.record_id as "recordId", n.lane_taught as "laneTaught", exists (
        select from due d where d.lane = n.lane and d.observation_id = n.observation_id
      ) or not n.is_new and exists (
        select from reflection f where f.account_id = account and f.lane = n.lane
          and f.observation_id = n.observation_id
      ) as "isDue"
    from numbered n join record using (lane, record_cluster, record_model)
  ) as each;
  return result;
end $$;

-- The reliability of an entry with these votes that occurred at `since`, as `memory/index/Entry` defines it. Two
-- centuries are the highest age: nothing is left by then, and an underflow would be an error.
create or replace function entry_reliability(ups int, downs int, since timestamptz, at timestamptz,
  half_life_days float8, prior_ups float8, prior_weight float8) returns float8
  language sql immutable parallel safe as $$
  select 0.5 + ((prior_ups + ups) / (prior_weight + ups + downs) - 0.5)
    * exp(-ln(2) / half_life_days
      * least(73000::float8, greatest(0, extract(epoch from at - since)::float8 / 86400)))
$$;

-- Votes on the entries of their lanes, up to each actor's most votes of a day; votes up count on the records of
-- (cluster, model) too. A reinforcement whose id has voted before does not vote again and is answered with what it then
-- voted up. A label that was replaced since does not vote. One statement reads, counts and votes, so that all of it sees
-- the same rows; the version of the lane, which the transaction has taken, keeps other writers away.
--
-- It yields an element for each row of `reinforcements`: the entries voted up in the order of `entry_ids`, and the mean
-- reliability afterwards of all that were found, null without any.
create or replace function cast_votes(account text, reinforcements json) returns json
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
      actor text, occurred_at timestamptz, quality float8, votes_max int, entry_ids uuid[],
      revision bigint, agreement_width float8, at timestamptz, half_life_days float8, prior_ups float8,
      prior_weight float8)
  ), asked as (
    select given.position, given.actor, given.day, given.votes_max, given.voted_before,
      given.is_outdated, o.place, o.lane, o.observation_id, o.cluster, o.model_id, o.votes_up, o.votes_down,
      o.occurred_at, abs(o.quality - given.quality) < given.agreement_width as agrees
    from given, unnest(given.entry_ids) as entry, lateral (
      select *, ctid as place from observation o where o.account_id = account and o.lane = given.lane
        and o.observation_id = entry and o.teaches
      offset 0
    ) o
  ), counting as (
    select asked.*, row_number() over (
      partition by lane, observation_id, actor, day order by position
    ) + coalesce((
      select votes from vote v where v.account_id = account and v.lane = asked.lane
        and v.observation_id = asked.observation_id and v.actor = asked.actor
        and v.day = asked.day
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
      version = (select l.version from lane l where l.account_id = account and l.lane = c.lane)
    from (
      select place, lane, sum(agrees::int) as up, sum((not agrees)::int) as down
      from cast_now group by place, lane
    ) c
    where o.ctid = c.place
    returning o.lane, o.observation_id, o.votes_up, o.votes_down
  ), credited as (
    update outcome_record r set reinforcement = r.reinforcement + c.votes
    from (
      select lane, cluster, model_id, count(*)::int as votes from cast_now where agrees
      group by lane, cluster, model_id
    ) c, lateral (
      select ctid as place from outcome_record own where own.account_id = account and own.lane = c.lane
        and own.cluster = c.cluster and own.model_id = c.model_id offset 0
    ) as held
    where r.ctid = held.place
  ), recorded as (
    insert into reinforcement (account_id, lane, reinforcement_id, voted_up, voted_down)
    select account, given.lane, given.reinforcement_id,
      coalesce(array_agg(c.observation_id) filter (where c.agrees), '{}'),
      coalesce(array_agg(c.observation_id) filter (where not c.agrees), '{}')
    from given left join cast_now c using (position)
    where given.voted_before is null and not given.is_outdated
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
create or replace function keep_lessons(account text, lessons json) returns void
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

-- Keeps steps' rewards; a step that comes again for the same recommendation and model keeps its first. It yields, for
-- each position, how many are new.
create or replace function keep_steps(account text, steps json) returns json
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
  result json;
begin
  with given as (
    select * from json_to_recordset(steps) as g (position int, lane text, recommendation_id text, step_id text,
      step_name text, cluster text, model_id text, outcome text, signal float8, rationale text,
      directive_hint text, occurred_at timestamptz)
  ), kept as (
    insert into step_reward (account_id, lane, recommendation_id, step_id, step_name, cluster, model_id, outcome,
      signal, rationale, directive_hint, occurred_at)
    select account, lane, recommendation_id, step_id, step_name, cluster, model_id, outcome, signal, rationale,
      directive_hint, occurred_at
    from given
    on conflict do nothing
    returning lane, recommendation_id, model_id, step_id
  )
  select json_agg(each) into result from (
    select position, count(kept.step_id)::int as "stepsRecorded"
    from (select distinct position, lane, recommendation_id, model_id, step_id from given) as given
    left join kept using (lane, recommendation_id, model_id, step_id)
    group by position
  ) as each;
  return result;
end $$;

-- Stores what feedbacks write to memory, in the order of `engine/Learner`: `writes` has rows of `lanes`, which say by how
-- much a version grows, `outcomes`, `votes`, `lessons`, `steps` and `outbox`. A version grows by at least the number of
-- writes, and its lock makes the writers of a lane take turns, so that the versions of a lane commit in order.
--
-- It yields an element for each position with an outcome, votes or steps, with the lane's version.
create or replace function store_writes(account text, writes json) returns json
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  entered text := enter_account(account);
  of record;
  versions json;
  taught json := '[]';
  voted json := '[]';
  stepped json := '[]';
begin
  select * into of from json_to_record(writes)
    as w (lanes json, outcomes json, votes json, lessons json, steps json, outbox json);
  with taken as (
    insert into lane (account_id, lane, version)
    select account, lane, sum(growth) from json_to_recordset(of.lanes) as w (lane text, growth bigint)
    group by lane order by lane
    on conflict (account_id, lane) do update set version = lane.version + excluded.version
    returning lane.lane, lane.version
  )
  select json_object_agg(lane, version) into versions from taken;
  if of.outcomes::text <> '[]' then
    taught := tell_outcomes(account, of.outcomes);
  end if;
  if of.votes::text <> '[]' then
    voted := cast_votes(account, of.votes);
  end if;
  if of.steps::text <> '[]' then
    stepped := keep_steps(account, of.steps);
  end if;
  if of.lessons::text <> '[]' then
    perform keep_lessons(account, of.lessons);
  end if;
  if of.outbox::text <> '[]' then
    insert into outbox (account_id, outbox_id, lane, kind, body)
    select account, given.outbox_id, given.lane, given.kind, given.write -> 'body'
    from json_array_elements(of.outbox) with ordinality as o (each, place), lateral
      json_to_record(o.each) as given (outbox_id uuid, lane text, kind text, write jsonb)
    order by place;
  end if;
  return (
    select coalesce(json_agg(each), '[]') from (
      select position, version, "recordId", "laneTaught", "isDue", "entryIds", "updatedConfidence", "stepsRecorded"
      from json_to_recordset(taught) as t (position int, "recordId" text, "laneTaught" bigint, "isDue" boolean)
      full join json_to_recordset(voted) as v (position int, "entryIds" json, "updatedConfidence" float8)
        using (position)
      full join json_to_recordset(stepped) as s (position int, "stepsRecorded" int) using (position)
      left join (
        select w.position, (versions ->> w.lane)::bigint as version
        from json_to_recordset(of.lanes) as w (position int, lane text)
      ) as own using (position)
    ) as each
  );
end $$;

-- Adds numbers to those held; null and no numbers count as zeros.
create or replace function sum_of(held float8[], more float8[]) returns float8[]
  language sql immutable parallel safe as $$
  select case when coalesce(cardinality(more), 0) = 0 then held else array(
    select coalesce(own, 0) + other from unnest(held, more) with ordinality as each (own, other, place) order by place
  ) end
$$;

-- Moves the numbers of lanes by trials, one after another, as `stats/LaneNumbers` does: `observe`, or `replace` where a
-- trial names the one that it replaces. `local` and `cells` are the likelihoods of the outcome under the two predictors,
-- to the power of the label's weight; `spread` and `old_spread` are what the
-- labels add to the evidence of each spread, and take back from it. It yields the numbers of each lane.
create or replace function move_numbers(account text, trials json) returns json
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
  of_lane record;
  trial record;
  n lane_numbers;
  share float8;
  result jsonb := '[]';
begin
  for of_lane in select distinct on (t.lane) t.lane, t.start
    from json_to_recordset(trials) as t (lane text, start json) order by t.lane
  loop
    insert into lane_numbers (account_id, lane, outcomes, local_share, spread_evidence)
    select account_id, lane, outcomes, local_share, spread_evidence
    from json_populate_record(null::lane_numbers, of_lane.start) where account_id = account
    on conflict do nothing;
    select * into n from lane_numbers l where l.account_id = account and l.lane = of_lane.lane for update;
    for trial in select * from json_to_recordset(trials) as t (position int, lane text, hedge float8,
        local float8, cells float8, replaces boolean, old_local float8,
        old_cells float8, spread float8[], old_spread float8[])
      where t.lane = of_lane.lane order by position
    loop
      if trial.replaces and n.outcomes > 0 then
        share := least(1, greatest(0, (n.local_share - trial.hedge * 0.5) / (1 - trial.hedge)));
        n.local_share := share * trial.old_cells / (share * trial.old_cells + (1 - share) * trial.old_local);
        n.spread_evidence := sum_of(n.spread_evidence, trial.old_spread);
      else
        n.outcomes := n.outcomes + 1;
      end if;
      share := n.local_share * trial.local / (n.local_share * trial.local + (1 - n.local_share) * trial.cells);
      n.local_share := (1 - trial.hedge) * share + trial.hedge * 0.5;
      n.spread_evidence := sum_of(n.spread_evidence, trial.spread);
    end loop;
    update lane_numbers l set outcomes = n.outcomes, local_share = n.local_share, spread_evidence = n.spread_evidence
    where l.account_id = account and l.lane = of_lane.lane;
    result := result || jsonb_build_object('lane', n.lane, 'outcomes', n.outcomes, 'localShare', n.local_share,
      'spreadEvidence', coalesce(n.spread_evidence, '{}'));
  end loop;
  return result::json;
end $$;

-- Counts tokens down from quotas that are paid already: of calls that were recommended since a quota was set. `changes` are
-- of `model_id`, `tokens`, below 0 in a correction, and `created_at`. One row holds the account's quotas, so that two
-- settlements wait for each other and never deadlock.
create or replace function use_prepaid(account text, changes json) returns void
  language plpgsql set enable_seqscan = off as $$
declare
  entered text := enter_account(account);
begin
  update account_models m set prepaid = (
    select jsonb_object_agg(q.key, jsonb_set(q.value, '{used}', to_jsonb(greatest(0, (q.value ->> 'used')::float8 + coalesce((
      select sum(c.tokens) from json_to_recordset(changes) as c (model_id text, tokens float8, created_at timestamptz)
      where c.model_id = q.key and c.created_at >= (q.value ->> 'since')::timestamptz), 0)))))
    from jsonb_each(m.prepaid) as q)
  where m.account_id = account and m.prepaid is not null;
end $$;

-- The rows whose position is not among these.
create or replace function without_positions(rows json, positions int[]) returns json
  language sql immutable parallel safe as $$
  select coalesce(json_agg(each), '[]') from json_array_elements(rows) as each
    where (each ->> 'position')::int <> all(positions)
$$;

-- Writes what the reports of decisions come to, with their figures and what the account has spent, where `basis` is the
-- highest revision that the decision's row of figures has: its lock makes writers take turns. It yields the positions
-- that it wrote.
--
-- The planner takes the reports for one row, by a condition that all meet: it then looks each row up by its place.
create or replace function put_outcomes(account text, reports json) returns int[]
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  entered text := enter_account(account);
  earliest timestamptz := (select min((each ->> 'created_at')::timestamptz) from json_array_elements(reports) as each);
  latest timestamptz := (select max((each ->> 'created_at')::timestamptz) from json_array_elements(reports) as each);
  taken int[];
begin
  with given as materialized (
    select * from json_to_recordset(reports) as r (position int, recommendation_id uuid, created_at timestamptz,
      basis bigint, revision bigint, feedback_at timestamptz, provenance text, success float8, quality float8,
      is_late boolean, teaches boolean, is_trusted boolean, is_broken boolean, actual_cost_usd float8,
      computed_cost_usd float8, chosen_model_id text, chosen_position int2, taught_prediction float8, task_key text,
      outcomes jsonb, spend json, change json)
    where position = abs(position)
  ), figures as (
    update decision_figures f set
      revision = given.revision, feedback_at = given.feedback_at, provenance = given.provenance,
      success = given.success, quality = given.quality, is_late = given.is_late, teaches = given.teaches,
      is_trusted = given.is_trusted, is_broken = given.is_broken, actual_cost_usd = given.actual_cost_usd,
      computed_cost_usd = given.computed_cost_usd, chosen_model_id = given.chosen_model_id,
      chosen_position = given.chosen_position, taught_prediction = given.taught_prediction,
      task_key = case when starts_with(f.task_key, 'id:') then f.task_key
        else coalesce(given.task_key, f.task_key) end
    from given, lateral (
      select o.ctid as place from decision_figures o where o.account_id = account
        and o.created_at = given.created_at and o.recommendation_id = given.recommendation_id
        and o.created_at between earliest and latest offset 0
    ) as held
    where f.ctid = held.place and f.created_at = given.created_at and f.created_at between earliest and latest
      and f.revision = given.basis
    returning given.position, f.task_key
  ), told as (
    insert into outcome as o (account_id, created_at, recommendation_id, outcomes, reported_task_key, billed_usd,
      billed_estimate_usd, waiting_usd, left_out_usd)
    select account, given.created_at, given.recommendation_id, given.outcomes, figures.task_key, s.*
    from given join figures using (position), json_to_record(given.spend)
      as s (billed_usd float8, billed_estimate_usd float8, waiting_usd float8, left_out_usd float8)
    on conflict (account_id, created_at, recommendation_id) do update set outcomes = excluded.outcomes,
      reported_task_key = excluded.reported_task_key, billed_usd = excluded.billed_usd,
      billed_estimate_usd = excluded.billed_estimate_usd, waiting_usd = excluded.waiting_usd,
      left_out_usd = excluded.left_out_usd
  ), spent as (
    insert into spend_change (account_id, hour, requests, billed_usd, billed_estimate_usd, waiting_usd, left_out_usd,
      margin_usd)
    select account, date_trunc('hour', given.created_at, 'UTC'), 0, c.*
    from given join figures using (position), json_to_record(given.change)
      as c (billed_usd float8, billed_estimate_usd float8, waiting_usd float8, left_out_usd float8, margin_usd float8)
    where exists (select from account_setting s where s.account_id = account and s.budget_usd is not null)
  )
  select coalesce(array_agg(position), '{}') into taken from figures;
  return taken;
end $$;

-- Settles the feedbacks of a group, of different keys and decisions: takes their reports, stores what they write, moves
-- the numbers of their lanes, and keeps their claims and answers with what was written. All locks are taken in one order:
-- decisions, lanes, what is in a lane, its numbers, the account's quotas, counts of calls, claims.
--
-- A feedback whose key is claimed already, or whose decision has other reports than those that its plan rests on, has no
-- effect. `basis` is the highest revision of these reports, 0 without any, and null where there is no decision. A key that
-- another transaction claims meanwhile fails the group, whose members then settle again and find the claim.
--
-- It yields `claimed`, the answers under keys that were claimed before; `outdated`, the reports that those decisions have
-- now and a new revision; `written`, what `store_writes` yields; and `numbers`.
create or replace function settle_feedbacks(account text, claims json, moments timestamptz[], reports json, writes json,
  trials json) returns json
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  entered text := enter_account(account);
  lost int[];
  taken int[];
  stale int[];
  has_broken boolean;
  claimed json;
  outdated json := '[]';
  stored json;
  numbers json := '[]';
  kept int;
  -- With these no plan begins with partitions that hold none of the decisions.
  earliest timestamptz := (select min(each) from unnest(moments) as each);
  latest timestamptz := (select max(each) from unnest(moments) as each);
begin
  select coalesce(array_agg(position), '{}'), coalesce(json_agg(each), '[]') into lost, claimed from (
    select given.position, held.* from json_to_recordset(claims) as given (position int, key text), lateral (
      select f.fingerprint, f.response, f.written from feedback_key f
      where f.account_id = account and f.idempotency_key = given.key offset 0
    ) as held
  ) as each;
  if cardinality(lost) > 0 then reports := without_positions(reports, lost); end if;

  taken := put_outcomes(account, reports);
  select coalesce(array_agg(given.position) filter (where given.position <> all(taken) and (given.basis is not null
      or exists (select from decision_figures f where f.account_id = account and f.created_at = given.created_at
        and f.recommendation_id = given.recommendation_id and f.created_at between earliest and latest))), '{}'),
    coalesce(bool_or((given.call ->> 'failed')::boolean), false)
    into stale, has_broken
    from json_to_recordset(reports) as given (position int, recommendation_id uuid, created_at timestamptz,
      basis bigint, call json);
  if cardinality(stale) > 0 then
    select json_agg(each) into outdated from (
      select given.position, f.recommendation_id is not null as "isThere", o.outcomes,
        nextval('report_revision') as revision
      from json_to_recordset(reports) as given (position int, recommendation_id uuid, created_at timestamptz)
      left join decision_figures f on f.account_id = account and f.created_at = given.created_at
        and f.recommendation_id = given.recommendation_id and f.created_at = any(moments)
      left join outcome o on o.account_id = account and o.created_at = given.created_at
        and o.recommendation_id = given.recommendation_id and o.created_at = any(moments)
      where given.position = any(stale)
    ) as each;
    reports := without_positions(reports, stale);
  end if;
  if cardinality(lost || stale) > 0 then
    claims := without_positions(claims, lost || stale);
    trials := without_positions(trials, lost || stale);
    writes := (select json_object_agg(key, without_positions(value, lost || stale)) from json_each(writes));
  end if;

  stored := store_writes(account, writes);
  if trials::text <> '[]' then
    numbers := move_numbers(account, trials);
  end if;
  if json_array_length(writes -> 'prepaid') > 0 then
    perform use_prepaid(account, writes -> 'prepaid');
  end if;
  if has_broken or exists (select from model_call c where c.account_id = account
    and c.failed_at > now() - interval '10 minutes') then perform count_calls(account, reports); end if;
  insert into feedback_key (account_id, idempotency_key, fingerprint, report, response, written, created_at)
  select account, c.key, c.fingerprint, c.report, c.response, w.each, now()
  from json_to_recordset(claims) as c (position int, key text, fingerprint text, report jsonb, response jsonb)
  left join (
    select (each ->> 'position')::int as position, each from jsonb_array_elements(stored::jsonb) as e (each)
  ) as w using (position)
  order by c.key
  on conflict do nothing;
  get diagnostics kept = row_count;
  if kept < json_array_length(claims) then
    raise exception 'A key was claimed meanwhile' using errcode = 'serialization_failure';
  end if;
  return json_build_object('claimed', claimed, 'outdated', outdated, 'written', stored, 'numbers', numbers);
end $$;

grant execute on function take_back_votes, tell_outcomes, entry_reliability, cast_votes, keep_lessons, keep_steps,
  store_writes, sum_of, move_numbers, use_prepaid, without_positions, put_outcomes,
  settle_feedbacks to sextant_app, sextant_service;
