/* Migration 9 copies the figures of decisions into narrow rows, which reports read. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { applicationRole } from "../AccountScope.ts"
import { ensureMonthlyPartitions } from "../retention/MonthlyPartitions.ts"
import { securedTable } from "../RowSecurity.ts"

/** The columns of a decision that never change, each with its value; `of` names its row. */
const decided = (of: string): ReadonlyArray<readonly [string, string]> => [
  ["account_id", `${of}.account_id`],
  ["created_at", `${of}.created_at`],
  ["recommendation_id", `${of}.recommendation_id`],
  ["propensity", `${of}.propensity`],
  ["cost_recommended_usd", `${of}.cost_recommended_usd`],
  ["cost_premium_usd", `${of}.cost_premium_usd`],
  ["is_escalated", `${of}.is_escalated`],
  ["is_exploration", `${of}.is_exploration`],
  ["is_epsilon", `${of}.selection_policy = 'epsilon_softmax'`],
  ["lane", `${of}.lane`],
  ["cluster", `${of}.task_type || ':' || ${of}.difficulty`],
  ["recommended_model_id", `${of}.recommended_model_id`],
  ["cost_declared_usd", `${of}.cost_declared_usd`],
  ["candidates", `packed_candidates(${of}.candidates, ${of}.recommended_model_id)`]
]

/** The columns that feedback sets. */
const fromFeedback = (of: string): ReadonlyArray<readonly [string, string]> => [
  ["feedback_at", `${of}.feedback_at`],
  ["is_late", `coalesce(${of}.is_late, false)`],
  ["teaches", `coalesce(${of}.teaches, false)`],
  ["is_trusted", `coalesce(${of}.teaches and ${of}.provenance in ('gate', 'human'), false)`],
  ["success", `case ${of}.outcome when 'success' then 1 when 'partial' then 0.5 when 'failure' then 0 end`],
  ["quality", `${of}.quality`],
  ["actual_cost_usd", `${of}.actual_cost_usd`],
  ["chosen_model_id", `${of}.chosen_model_id`],
  ["chosen_position", `candidate_position(${of}.candidates, ${of}.chosen_model_id)`],
  ["taught_prediction",
    `case when ${of}.teaches then candidate_prediction(${of}.candidates, ${of}.chosen_model_id) end`]
]

const names = (columns: ReadonlyArray<readonly [string, string]>) => columns.map(([name]) => name).join(", ")
const values = (columns: ReadonlyArray<readonly [string, string]>) =>
  columns.map(([, value]) => value).join(", ")

/**
 * The function of the trigger. Its first statement is that of migration 24, and there was none before.
 *
 * @param verb `create` or `create or replace`
 * @param added columns of later migrations that feedback sets and that both tables have under one name
 */
export const keepDecisionFigures = (
  verb: string,
  first = "",
  added: ReadonlyArray<string> = []
): string => {
  const reported = [...fromFeedback("new"), ...added.map((name) => [name, `new.${name}`] as const)]
  const all = [...decided("new"), ...reported]
  return `${verb} function keep_decision_figures() returns trigger language plpgsql as $$
    begin${first}
      if tg_op = 'INSERT' then
        insert into decision_figures (${names(all)})
        values (${values(all)});
      elsif tg_op = 'UPDATE' then
        update decision_figures set (${names(reported)}) = row (${values(reported)})
        where account_id = new.account_id and created_at = new.created_at
          and recommendation_id = new.recommendation_id;
      else
        delete from decision_figures
        where account_id = old.account_id and created_at = old.created_at
          and recommendation_id = old.recommendation_id;
      end if;
      return null;
    end $$`
}

/**
 * Candidates as reports read them, without parsing JSON: two bytes with the position of the recommended one,
 * from 1, 0 for none; two with their number; then 23 bytes each: six of the MD5 of the model's id, prediction
 * and estimated cost as float8, and whether it was eligible. PL/pgSQL, because it keeps its plans from one
 * statement to the next.
 */
const functions = [
  `create function packed_candidates(candidates jsonb, recommended text) returns bytea
    language plpgsql immutable parallel safe as $$
    begin
      return (
        select int2send(coalesce(max(position) filter (where tuple->>0 = recommended), 0)::int2)
          || int2send(count(*)::int2)
          || coalesce(string_agg(
            substr(decode(md5(tuple->>0), 'hex'), 1, 6)
              || float8send((tuple->1)::float8) || float8send((tuple->2)::float8)
              || case when (tuple->3)::boolean then '\\x01'::bytea else '\\x00'::bytea end,
            ''::bytea), ''::bytea)
        from jsonb_array_elements(candidates) with ordinality as each(tuple, position));
    end $$`,
  `create function candidate_position(candidates jsonb, model_id text) returns int2
    language plpgsql immutable parallel safe strict as $$
    begin
      return (
        select max(position) from jsonb_array_elements(candidates) with ordinality as each(tuple, position)
        where tuple->>0 = model_id);
    end $$`,
  `create function candidate_prediction(candidates jsonb, model_id text) returns float8
    language plpgsql immutable parallel safe strict as $$
    begin
      return (
        select (tuple->1)::float8
        from jsonb_array_elements(candidates) with ordinality as each(tuple, position)
        where tuple->>0 = model_id order by position limit 1);
    end $$`,
  keepDecisionFigures("create")
]

/**
 * The figures of every decision in narrow rows: a report over a quarter of a million decisions reads 100 MB
 * in a tenth of a second here, and 450 MB and much JSON from `decision`, whose rows hold the task, the
 * neighbours and more. A trigger keeps both tables alike in one transaction, whichever process writes.
 */
export const decisionFigures = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table decision_figures (
      account_id text not null check (account_id <> ''),
      created_at timestamptz not null,
      recommendation_id uuid not null,
      propensity float8 not null,
      cost_recommended_usd float8 not null,
      cost_premium_usd float8 not null,
      is_escalated boolean not null,
      is_exploration boolean not null,
      is_epsilon boolean not null,
      is_late boolean not null,
      teaches boolean not null,
      is_trusted boolean not null,
      lane text not null,
      cluster text not null,
      recommended_model_id text not null,
      cost_declared_usd float8,
      feedback_at timestamptz,
      success float8,
      quality float8,
      actual_cost_usd float8,
      taught_prediction float8,
      chosen_model_id text,
      chosen_position int2,
      candidates bytea not null,
      primary key (account_id, created_at, recommendation_id)
    ) partition by range (created_at)`
  yield* ensureMonthlyPartitions("decision_figures")
  for (const text of functions) yield* sql`${sql.literal(text)}`
  // The owner of the tables fills in the existing rows, which row-level security hides from the owner too.
  yield* sql`alter table decision no force row level security`
  const all = [...decided("decision"), ...fromFeedback("decision")]
  yield* sql`insert into decision_figures (${sql.literal(names(all))})
    select ${sql.literal(values(all))} from decision`
  yield* sql`alter table decision force row level security`
  yield* securedTable(sql, "decision_figures")
  yield* sql`
    create trigger keep_decision_figures after insert or update or delete on decision
    for each row execute function keep_decision_figures()`
  // Every role may run a new function, unless a hardened database says otherwise.
  for (const name of ["packed_candidates", "candidate_position", "candidate_prediction"]) {
    yield* sql`grant execute on function ${sql(name)} to ${sql(applicationRole)}`
  }
})
