/* Reads the stored rows that a batch of writes needs, in one statement. */
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { rowSet } from "../../sql/RowSet.ts"
import type { FoldState, StoredRecord } from "../fold/FoldState.ts"
import type { TouchedKeys } from "../fold/TouchedKeys.ts"

export type Sql = SqlClient.SqlClient

const outcomeColumns = `lane, observation_id as "observationId", revision,
  verdict_revision as "verdictRevision", teaches, import_id is not null as "isImported", cluster,
  model_id as "modelId", user_id as "userId", quality,
  (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs", votes_up as "votesUp",
  votes_down as "votesDown", voted_up as "votedUp", voted_down as "votedDown"`

const recordColumns = `lane, cluster, model_id as "modelId", last_cost_usd as "lastCostUsd",
  last_input_tokens as "lastInputTokens", last_output_tokens as "lastOutputTokens",
  last_quality as "lastQuality",
  case when isfinite(updated_at) then (extract(epoch from updated_at) * 1000)::float8 end as "updatedAtMs"`

/**
 * Selects rows by keys, with one index look-up for each key. The SQL has `offset 0`, so that the planner does
 * not read the whole table if it believes the table to be small.
 * @param keys rows that have the columns of `on`
 */
const rowsBy = (sql: Sql, accountId: string, { columns, keys, on, table }: {
  readonly table: string
  readonly columns: string
  readonly keys: Statement.Fragment
  /**
   * SQL conditions that find the rows of a key. A cast of a table's column would prevent the use of the
   * index.
   */
  readonly on: string
}): Statement.Fragment =>
  sql`select held.* from ${keys}, lateral (
      select ${sql.literal(columns)} from ${sql.literal(table)} as r
      where r.account_id = ${accountId} and ${sql.literal(on)} offset 0
    ) as held`

const ofOutcome = "r.lane = given.lane and r.observation_id = given.observation_id"

const outcomesBy = (sql: Sql, accountId: string, keys: Statement.Fragment): Statement.Fragment =>
  rowsBy(sql, accountId, {
    table: "observation", columns: outcomeColumns, keys,
    on: ofOutcome
  })

const touched = (
  sql: Sql,
  accountId: string,
  { own, records, votes }: TouchedKeys
): Statement.Fragment => sql`
  own as materialized (
    ${outcomesBy(sql, accountId, rowSet(sql, "given", { lane: "text", observationId: "uuid" }, own))}
  ), votes as materialized (
    select * from ${rowSet(sql, "given", { lane: "text", observationId: "uuid", actor: "text" }, votes)}
    union select lane, unnest("votedUp" || "votedDown"), coalesce("userId", '') from own
  ), entries as (
    ${outcomesBy(sql, accountId, sql`(select distinct lane, observation_id from votes) as given`)}
  ), cells as (
    select * from ${rowSet(sql, "given", { lane: "text", cluster: "text", modelId: "text" }, records)}
    union select lane, cluster, "modelId" from own
  )`

const listOf = (sql: Sql, name: string, rows: Statement.Fragment): Statement.Fragment =>
  sql`(select coalesce(json_agg(each), '[]') from (${rows}) as each) as ${sql.literal(name)}`

const lists = (sql: Sql, accountId: string, keys: TouchedKeys): ReadonlyArray<Statement.Fragment> => {
  const list = (name: string, of: Parameters<typeof rowsBy>[2]) =>
    listOf(sql, name, rowsBy(sql, accountId, of))
  const ownKeys = rowSet(sql, "given", { lane: "text", observationId: "uuid" }, keys.own)
  return [
    list("lanes", {
      table: "lane", columns: "lane, version, taught", on: "r.lane = given.lane",
      keys: rowSet(sql, "given", { lane: "text" }, keys.lanes)
    }),
    listOf(sql, "outcomes", sql`select * from own union all select * from entries`),
    list("votes", {
      table: "vote", columns: `lane, observation_id as "observationId", actor, day, votes`,
      on: `${ofOutcome} and r.actor = given.actor`, keys: sql`votes as given`
    }),
    list("records", {
      table: "outcome_record", columns: recordColumns, keys: sql`cells as given`,
      on: "r.lane = given.lane and r.cluster = given.cluster and r.model_id = given.model_id"
    }),
    list("lessons", {
      table: "lesson", columns: `lane, lesson_id as "lessonId"`,
      on: "r.lane = given.lane and r.lesson_id = given.lesson_id",
      keys: rowSet(sql, "given", { lane: "text", lessonId: "text" }, keys.lessons)
    }),
    list("reflections", {
      table: "reflection", columns: `lane, observation_id as "observationId", crossing`,
      on: ofOutcome, keys: ownKeys
    }),
    keys.steps.length === 0 ? sql`'[]'::json as steps` : list("steps", {
      table: "step_reward",
      columns: `lane, recommendation_id as "recommendationId", model_id as "modelId", step_id as "stepId"`,
      on: `r.lane = given.lane and r.recommendation_id = given.recommendation_id
        and r.model_id = given.model_id`,
      keys: rowSet(sql, "given", { lane: "text", recommendationId: "text", modelId: "text" }, keys.steps)
    })
  ]
}

/** The state as JSON, which has null in place of -Infinity. */
interface ReadState extends Omit<FoldState, "records"> {
  readonly records: ReadonlyArray<
    Omit<StoredRecord, "updatedAtMs"> & { readonly updatedAtMs: number | null }
  >
}

/** Reads the rows with the given keys. The caller has locked the account's log, so that no row changes. */
export const readState = Effect.fnUntraced(function*(
  accountId: string,
  keys: TouchedKeys
): Effect.fn.Return<FoldState, SqlError.SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [state] = yield* sql<ReadState>`with ${touched(sql, accountId, keys)}
    select ${sql.csv(lists(sql, accountId, keys))}`
  if (state === undefined) return yield* Effect.die("A select without a table has a row")
  const records = state.records.map((each) => ({ ...each, updatedAtMs: each.updatedAtMs ?? -Infinity }))
  return { ...state, records }
})
