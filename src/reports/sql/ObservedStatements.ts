/* Reads the sums of models over observed calls, as `ArmStatements.ts` does over decisions. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { adviceSettings } from "../advice/AdviceSettings.ts"
import type { ArmSums } from "../advice/ArmSums.ts"
import type { LedgerWindow } from "../LedgerWindow.ts"
import { isOfModel, squareOf, usesOf, weightBySource } from "./ArmStatements.ts"

const cost = "coalesce(billed_usd, list_usd)"

/** The SQL weight of a row's evaluation; null without an evaluation, or if its source has no weight. */
const weight = `(case when quality is not null then ${weightBySource} end)`

const square = squareOf(cost)

/** The SQL lane of a call, which is the lane of its team. */
const lane = "('sextant:' || coalesce((select substr(tag, 6) from unnest(tags) as tag "
  + "where tag like 'team:_%' limit 1), 'default'))"

const condition = (sql: SqlClient.SqlClient, window: LedgerWindow) => {
  const all = sql.literal("")
  const { accountId, lane: only, since, tag, until, userId } = window
  return sql`account_id = ${accountId} and called_at >= ${since} and not is_broken
    ${until === undefined ? all : sql`and called_at < ${until}`}
    ${only === null ? all : sql`and ${sql.literal(lane)} = ${only}`}
    ${tag === undefined ? all : sql`and ${tag}::text = any(tags)`}
    ${userId === undefined ? all : sql`and user_id = ${userId}`}`
}

type Row = Omit<ArmSums, "newestId" | "observed" | "predicted" | "predictedWeight">

/**
 * All efforts of a model are added together, because programs state an effort even if the account declares
 * none. An evaluation's score is treated as a verdict's success.
 */
export const readArms = (sql: SqlClient.SqlClient, window: LedgerWindow) =>
  Effect.map(
    sql<Row>`
      select ${sql.literal(lane)} as lane, task_type || ':' || difficulty as cluster,
        model_id as "modelId", count(*)::int as "nCalls",
        (extract(epoch from min(called_at)) * 1000)::float8 as "firstMs",
        count(${sql.literal(weight)})::int as "nVerdicts",
        coalesce(sum(${sql.literal(weight)}), 0)::float8 as weight,
        coalesce(sum(${sql.literal(weight)} * quality), 0)::float8 as "successWeight",
        count(${sql.literal(cost)})::int as "nCosted", coalesce(sum(${sql.literal(cost)}), 0) as "costUsd",
        coalesce(sum(${sql.literal(square)}), 0) as "costSquares", 0::float8 as "estimatedUsd"
      from observed_call where ${condition(sql, window)} and task_type is not null and difficulty is not null
      group by 1, 2, 3
      order by count(*) desc, 1, 2, 3 limit ${adviceSettings.armsMax}`,
    (rows) => rows.map((row): ArmSums => {
      const { nCalls, nVerdicts, successWeight, weight } = row
      return {
        ...row, predicted: 0, predictedWeight: 0, newestId: null,
        observed: { nCalls, nVerdicts, successWeight, weight }
      }
    })
  )

export const readUses = (sql: SqlClient.SqlClient, window: LedgerWindow, modelId: string) => usesOf(sql, sql`
  select user_id, tags, ${sql.literal(cost)} as usd from observed_call
  where ${condition(sql, window)} and ${isOfModel(sql, "model_id", modelId)}`)
