/* The function that inserts outcomes and raises every counter they change: migration 25 and later ones. */

/** Assignments that add a row's sums and counts to those of the record that is there. */
const addedSums = [
  "outcomes", "taught", "successes", "quality_sum", "weight_sum", "cost_usd_sum", "cost_usd_count",
  "input_tokens_sum", "input_tokens_count", "output_tokens_sum", "output_tokens_count", "latency_ms_sum",
  "latency_ms_count"
].map((column) => `${column} = outcome_record.${column} + excluded.${column}`).join(", ")

/**
 * Adds the inserted outcomes, `fresh`, to the records of their clusters and models: sums, counts, and the
 * last value of each measurement in the order of `given`. Yields a row for each record.
 *
 * @param lastValues assignments of the last values to a record that is there
 */
export const addToRecords = (lastValues: string): string =>
  `insert into outcome_record (account_id, lane, cluster, model_id, record_id, outcomes,
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
      ${addedSums},
      ${lastValues},
      updated_at = greatest(excluded.updated_at, outcome_record.updated_at)
    returning lane, cluster, model_id, record_id`

/** Assignments by which the outcomes that are reported now have the last values. */
const lastReported = `last_cost_usd = coalesce(excluded.last_cost_usd, outcome_record.last_cost_usd),
      last_input_tokens = coalesce(excluded.last_input_tokens, outcome_record.last_input_tokens),
      last_output_tokens = coalesce(excluded.last_output_tokens, outcome_record.last_output_tokens),
      last_quality = coalesce(excluded.last_quality, outcome_record.last_quality)`

/** Columns of `observation` beside the account and the version that a given row fills. */
export const observationColumns =
  `lane, observation_id, teaches, task_type, difficulty, cluster, tags, user_id,
      model_id, outcome, quality, provenance, provenance_weight, propensity, input_tokens, output_tokens,
      cost_usd, latency_ms, occurred_at, revision, verdict_revision, is_cost_outlier`

/** The columns of a given row with their types. */
export const givenColumns = `position int, lane text, observation_id uuid,
      version bigint, teaches boolean, task_type text, difficulty text, cluster text, tags text[],
      user_id text, model_id text, outcome text, quality float8, provenance text,
      provenance_weight float8, propensity float8, input_tokens float8, output_tokens float8,
      cost_usd float8, latency_ms float8, occurred_at timestamptz, task text, vectors json,
      reflection_every int, revision bigint, verdict_revision bigint, is_cost_outlier boolean`

/**
 * Inserts outcomes that are not stored and raises their counters, in one statement. A row without a version
 * gets its lane's, which the transaction has taken. `vectors` are rows of `embedder`, `scale` and `vector`,
 * in base64; `task` are the outcome's words, null where they are not kept here. The key of a due reflection
 * names its outcome beside the lane's count: a lane can reach the same count again after outcomes were
 * deleted.
 *
 * It yields an element for each inserted outcome: its position, the id of its record, the lane's count after
 * it, and whether it made a reflection due.
 *
 * @param added columns of later migrations with their types, in their order; null in rows that lack them, as
 *   copies of the version before send them
 */
export const teachOutcomes = (
  added: ReadonlyArray<{ readonly name: string; readonly type: string }> = []
) => {
  const names = [observationColumns, ...added.map(({ name }) => name)].join(", ")
  const types = added.map(({ name, type }) => `, ${name} ${type}`).join("")
  return {
    name: "teach_outcomes",
    parameters: "news json",
    returns: "json",
    declare: "result json;",
    body: `with given as (
      select * from json_to_recordset(news) as given (${givenColumns}${types})
    ), fresh as (
      insert into observation (account_id, version, ${names})
      select account, coalesce(given.version, (
          select l.version from lane l where l.account_id = account and l.lane = given.lane
        )), ${names}
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
      ${addToRecords(lastReported)}
    ), counted as (
      update lane set taught = lane.taught + added.taught
      from (select lane, sum(teaches::int) as taught from fresh group by lane order by lane) as added
      where lane.account_id = account and lane.lane = added.lane
      returning lane.lane, lane.taught - added.taught as before
    ), numbered as (
      select given.position, f.lane, f.observation_id, f.cluster, f.model_id, f.teaches, f.provenance,
        f.outcome, given.reflection_every,
        counted.before + sum(f.teaches::int) over (partition by f.lane order by given.position) as lane_taught
      from fresh f join given using (lane, observation_id) join counted using (lane)
    ), due as (
      insert into reflection (account_id, lane, crossing, observation_id)
      select account, lane, crossing, observation_id
      from numbered, lateral (values
        ('taught:' || lane_taught || ':' || observation_id, lane_taught % reflection_every = 0),
        ('gate:' || observation_id, provenance = 'gate' and outcome = 'failure')
      ) as cause (crossing, is_cause)
      where teaches and is_cause
      on conflict do nothing
      returning lane, observation_id
    )
    select coalesce(json_agg(each), '[]') into result from (
      select n.position, record.record_id as "recordId", n.lane_taught as "laneTaught", exists (
        select from due d where d.lane = n.lane and d.observation_id = n.observation_id) as "isDue"
      from numbered n join record using (lane, cluster, model_id)
    ) as each;
    return result;`
  }
}
