/* The function of migration 25 that settles a group of feedbacks whole. */

/** The feedback's columns of `decision` that a report sets, with their types. */
const feedbackColumns = {
  feedback_at: "timestamptz", chosen_model_id: "text", outcome: "text", quality: "float8",
  provenance: "text", error_cause: "text", teaches: "boolean", is_late: "boolean",
  actual_cost_usd: "float8", input_tokens: "bigint", output_tokens: "bigint", actual_latency_ms: "float8",
  computed_cost_usd: "float8", cached_input_tokens: "bigint", reasoning_tokens: "bigint",
  time_to_first_token_ms: "float8", outcomes: "jsonb"
}
const declarations = Object.entries(feedbackColumns).map(([name, type]) => `${name} ${type}`).join(", ")
const assignments = Object.keys(feedbackColumns).map((name) => `${name} = given.${name}`).join(", ")

/** Moves lanes' numbers by changes that hold wherever they are, or while they rest on `known` outcomes. */
const moveNumbers = `with given as (
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
    ) as each`

/**
 * Settles feedbacks that are the first of their decisions, all or none: takes their claims, reports,
 * outcomes, votes, lessons and changes of lanes' numbers, and stores their answers, completed by what memory
 * answers. The locks are taken in the order in which a settlement in several statements takes them.
 *
 * Nothing is kept where something is not as it was read. `unsettled` then says so: `keys`, which are claimed
 * already; `decisions`, which are gone or have feedback; `outcomes`, true where one is stored already; or
 * `numbers`, the lanes whose numbers rest on other counts, with the present ones.
 *
 * A settled group yields `lanes` with their versions, `taught` and `voted` by position, and `numbers`.
 */
export const settleFeedbacks = {
  name: "settle_feedbacks",
  parameters: `claims json, moments timestamptz[], reports json, written_lanes json, news json,
    reinforcements json, lessons json, numbers json`,
  returns: "json",
  declare: `
      conflict json;
      versions json;
      taught_now json;
      voted_now json;
      numbers_now json;`,
  body: `
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
          as r (recommendation_id uuid, created_at timestamptz, ${declarations})
      ), counted as (
        update decision d set ${assignments} from given
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
        ${moveNumbers};
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
      'lanes', versions, 'taught', taught_now, 'voted', voted_now, 'numbers', numbers_now);`
}
