/* The function of migration 25 that votes on past outcomes, and that of their reliability. */

/**
 * The reliability of an entry with these votes that occurred at `since`, as `memory/index/Entry` defines it.
 * Two centuries are the highest age: nothing is left by then, and an underflow would be an error.
 */
export const entryReliability = `
  create or replace function entry_reliability(
    ups int, downs int, since timestamptz, at timestamptz,
    half_life_days float8, prior_ups float8, prior_weight float8
  ) returns float8 language sql immutable parallel safe as $function$
    select 0.5 + ((prior_ups + ups) / (prior_weight + ups + downs) - 0.5)
      * exp(-ln(2) / half_life_days
        * least(73000::float8, greatest(0, extract(epoch from at - since)::float8 / 86400)))
  $function$`

/**
 * Votes on the entries of their lanes, up to each actor's most votes of a day; votes up count on the records
 * of (cluster, model) too. A reinforcement whose id has voted before does not vote again and is answered with
 * what it then voted up. A label that was replaced since does not vote. One statement reads, counts and
 * votes, so that all of it sees the same rows, which are locked in the order of their ids. A row without a
 * version gets its lane's, which the transaction has taken.
 *
 * It yields an element for each row of `reinforcements`: the entries voted up in the order of `entry_ids`,
 * and the mean reliability afterwards of all that were found, null without any.
 */
export const castVotes = {
  name: "cast_votes",
  parameters: "reinforcements json",
  returns: "json",
  declare: "result json;",
  body: `with given as (
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
  return result;`
}
