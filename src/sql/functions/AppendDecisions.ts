/* The function that writes an account's decisions, for migration 24 and those that add columns to it. */

/** The columns of an insert with their types, as migration 24 finds them in `decision`. */
const columns = {
  account_id: "text", created_at: "timestamptz", recommendation_id: "uuid", workflow_id: "text", lane: "text",
  user_id: "text", task_excerpt: "text", task_type: "text", difficulty: "text", tags: "jsonb",
  recommended_model_id: "text", predicted_success: "float8", threshold: "float8", decision_basis: "text",
  selection_policy: "text", propensity: "float8", is_exploration: "boolean", is_escalated: "boolean",
  cost_recommended_usd: "float8", cost_premium_usd: "float8", baseline_model_id: "text",
  cost_declared_usd: "float8", candidates: "jsonb", neighbours: "jsonb", warnings: "jsonb",
  catalog_version: "text", latency_ms: "float8", mean_similarity: "float8", high_similarity: "float8",
  forecasts: "jsonb", reasoner_cost_usd: "float8", task_vectors: "jsonb"
}

/** The columns of `decision_figures` that have the same name and value in `decision`. */
const shared = `account_id, created_at, recommendation_id, propensity, cost_recommended_usd, cost_premium_usd,
  is_escalated, is_exploration, lane, recommended_model_id, cost_declared_usd`

/** A column that a later migration adds to `decision`, and unless `isFigure` is false to its figures. */
interface AddedColumn {
  readonly name: string
  readonly type: string
  /** The SQL value for rows that lack it, as copies of the version before send them. */
  readonly otherwise: string
  readonly isFigure?: boolean
}

/**
 * `append_decisions` takes rows that may be there already, and leaves those as they are. A row of another
 * account than `account` is refused, and the others of its call with it.
 *
 * It writes the figures of all new rows by one insert, with the candidates as the caller has packed them
 * (`packed_candidates` of migration 9 takes 30 µs a row), so that the trigger which does that for the rows
 * of plain inserts is passed over.
 *
 * The texts of new rows are added to the existing bucket of their time, when it may have been counted
 * already: the row is older than 30 s, or lies in a bucket. Such rows come from a spool after an outage, or
 * from a copy whose clock is behind; an emptied bucket is then checked again. The lock of the account's texts
 * is taken after the insert: a count that ran before has not seen the rows, and its bucket is visible here; a
 * later count sees the rows.
 *
 * @param added columns of later migrations, in their order
 */
export const appendDecisions = (added: ReadonlyArray<AddedColumn> = []) => {
  const addedNames = added.map(({ name }) => name)
  const names = [...Object.keys(columns), ...addedNames].join(", ")
  const values = [
    ...Object.keys(columns), ...added.map(({ name, otherwise }) => `coalesce(${name}, ${otherwise})`)
  ].join(", ")
  const types = [
    ...Object.entries({ ...columns, packed_candidates: "text" }),
    ...added.map(({ name, type }) => [name, type])
  ].map(([name, type]) => `${name} ${type}`).join(", ")
  const addedFigures = added.filter(({ isFigure = true }) => isFigure).map(({ name }) => name)
  const figures = [shared, ...addedFigures].join(", ")
  return {
    name: "append_decisions",
    parameters: "decisions jsonb",
    returns: "void",
    declare: `
      times timestamptz[];
      sizes int[];
      counted_until timestamptz;`,
    body: `
      entered := set_config('app.figures', 'written', true);
      with given as materialized (
        select * from jsonb_to_recordset(decisions) as each (${types})
      ), written as (
        insert into decision (${names}) select ${values} from given on conflict do nothing
        returning ${figures}, selection_policy, task_type, difficulty, octet_length(task_excerpt) as bytes
      ), figures as (
        insert into decision_figures (${figures}, is_epsilon, is_late, teaches, is_trusted, candidates,
          cluster) -- contract: a column of that name
        select ${figures.replaceAll(/\w+/g, "w.$&")}, w.selection_policy = 'epsilon_softmax',
          false, false, false, decode(given.packed_candidates, 'base64'), w.task_type || ':' || w.difficulty
        from written w join given using (recommendation_id)
        on conflict do nothing
      )
      select array_agg(created_at), array_agg(bytes) into times, sizes from written where bytes > 0;
      entered := set_config('app.figures', '', true);
      if times is null then return; end if;
      select greatest(max(until), now() - interval '30 seconds') into counted_until
        from text_bucket where account_id = account;
      if (select min(each) from unnest(times) as each) > counted_until then return; end if;
      perform pg_advisory_xact_lock(hashtextextended('sextant.texts:' || account, 0));
      update text_bucket b set task_bytes = b.task_bytes + late.bytes
      from (
        select covering.until, sum(t.bytes) as bytes
        from unnest(times, sizes) as t (created_at, bytes), lateral (
          select min(until) as until from text_bucket
          where account_id = account and until >= t.created_at
        ) as covering
        where covering.until is not null group by covering.until
      ) as late
      where b.account_id = account and b.until = late.until;`
  }
}
