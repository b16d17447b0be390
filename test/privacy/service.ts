import { Effect, Layer, Logger, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as AccountSettingsSql from "../../src/accounts/sql/AccountSettingsSql.ts"
import type { TaskText } from "../../src/domain/text/TaskText.ts"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import { overSql, portOf } from "../fuzz/service.ts"
import { dump } from "../isolation/service.ts"
import type { Engine } from "../support/Databases.ts"
import { serverOver } from "../support/InProcess.ts"

export const keyOf = (account: string): string => `sxt_${account}_k1_${account}0123456789abcdef0123456789abcdef`

// A lane that grew in the process would weigh its sums as of its start, and one that was loaded, as of now.
const settings = { ...memorySettings, pollIntervalMs: 0, tallyRefreshMs: 0 }

/** The whole service over a database, and the database beside it. */
export const serveAccounts = (engine: Engine, taskText: TaskText = "excerpt", accounts: ReadonlyArray<string> = ["acme"]) =>
  serverOver(
    Layer.mergeAll(
      overSql(accounts.map((account) => Redacted.make(keyOf(account))), settings),
      AccountSettingsSql.layer
    ),
    { taskText }
  ).pipe(Layer.provideMerge(engine), Layer.provide(Logger.layer([])))

/** Waits until every reflection that is due was made, which happens in the background. */
export const reflected = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(sql`select from reflection where reflected_at is null`, {
    until: (due) => due.length === 0, schedule: Schedule.spaced("50 millis")
  })).pipe(Effect.timeout("30 seconds"))

/** One request as an account. */
export const sendRequest = (account: string, method: string, path: string, body?: unknown) =>
  Effect.gen(function*() {
    const url = `http://127.0.0.1:${yield* portOf}${path}`
    return yield* Effect.promise(async (): Promise<Record<string, any>> => {
      const answer = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${keyOf(account)}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return await answer.json() as Record<string, any>
    })
  })

export const recommend = (account: string, task: string, over: object = {}) =>
  sendRequest(account, "POST", "/v1/recommend", {
    task: { task, task_type: "code", difficulty: "medium" }, allow_llm_escalation: false,
    constraints: { candidate_models: ["gpt-5-mini", "claude-haiku-4-5", "gemini-2.5-flash"] }, ...over
  })

export const feedback = (account: string, answer: Record<string, any>, over: object = {}) =>
  sendRequest(account, "POST", "/v1/feedback", {
    recommendation_id: answer["recommendation_id"],
    chosen_model_id: answer["recommended_model"]?.model_id, outcome: "success", evidence_source: "gate", ...over
  })

/** Every row of every table of the database as text, for a canary to be looked for. */
export const dumpAll = Effect.map(dump(null), (rows) =>
  [...rows].map(([table, text]) => `${table}\n${text}`).join("\n"))
