import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node"
import { Cause, Effect, Layer, Logger, Redacted, References } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { memorySettings } from "../../src/memory/MemorySettings.ts"
import { overSql, portOf } from "../fuzz/service.ts"
import type { Engine } from "../support/Databases.ts"
import { serverOver } from "../support/InProcess.ts"

/** Found nowhere but in the head of a request, whatever happens. */
export const keyCanary = "canarykey0123456789abcdef0123456789abcdef"
/** Found nowhere but in the rows that keep an excerpt of the task. */
export const taskCanary = "canarytaskzebra"
export const keyOf = (account: string): string => `sxt_${account}_k1_${account}${keyCanary}`

const accounts = ["acme", "umbrella"] as const

/** What has been seen while the world lives. */
export interface Seen {
  readonly logs: Array<string>
  readonly spans: InMemorySpanExporter
  /** Statements by the trace of the request that ran them. */
  readonly statements: Map<string, number>
  /** Tables whose account condition was taken out of a statement. */
  readonly stripped: Set<string>
}

/** The application's own condition, `account_id = $1`; what is left still gives the parameter its type. */
const condition = /(?:\b\w+\.)?"?account_id"? = (\$\d+)/g

const withoutCondition = (text: string): string => text.replace(condition, "($1::text is not null)")

/**
 * Counts the statements of each request and, when asked to, takes the application's own condition on the
 * account out of each of them, so that row-level security alone is left. Keys are found before an account is
 * known, by the service's own role.
 */
const watching = (seen: Seen, isStripping: boolean): Statement.Transformer => (statement, sql, _fiber, span) =>
  Effect.sync(() => {
    seen.statements.set(span.traceId, (seen.statements.get(span.traceId) ?? 0) + 1)
    if (!isStripping) return statement
    const [text, parameters] = statement.compile()
    const bare = withoutCondition(text)
    if (bare === text || text.includes("api_key")) return statement
    for (const [, table = ""] of text.matchAll(/\b(?:from|update|into|join)\s+"?(\w+)"?/gi)) seen.stripped.add(table)
    return sql.unsafe(bare, parameters)
  })

/** The same condition inside of a function, whose first parameter is the account. */
const conditionInside = /(?:\b\w+\.)?account_id = account\b/g

/** Takes the application's own condition out of every function of the database, too. */
export const stripFunctions = Effect.fnUntraced(function*({ stripped }: Pick<Seen, "stripped">) {
  const sql = yield* SqlClient.SqlClient
  const functions = yield* sql<{ readonly definition: string }>`
    select pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = current_schema()::regnamespace and prokind = 'f'`
  for (const { definition } of functions) {
    const bare = definition.replace(conditionInside, "account is not null")
    if (bare === definition) continue
    for (const [, table = ""] of definition.matchAll(/\b(?:from|update|into|join)\s+"?(\w+)"?/gi)) stripped.add(table)
    yield* sql.unsafe(bare)
  }
})

/** The server over the engine's database for two accounts, every span, log line and statement watched. */
export const isolatedService = (engine: Engine, isStripping: boolean) => {
  const seen: Seen = { logs: [], spans: new InMemorySpanExporter(), statements: new Map(), stripped: new Set() }
  const logger = Logger.make(({ cause, message, fiber }) => {
    seen.logs.push(`${JSON.stringify(message)} ${Cause.pretty(cause)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
  })
  const telemetry = Layer.mergeAll(
    NodeSdk.layer(() => ({ resource: { serviceName: "isolation" }, spanProcessor: new SimpleSpanProcessor(seen.spans) })),
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "All"),
    Layer.succeed(Statement.CurrentTransformer, watching(seen, isStripping))
  )
  const server = serverOver(overSql(
    accounts.map((account) => Redacted.make(keyOf(account))),
    // Every recall looks for news of its lane, so that none asks more than another by the clock alone.
    { ...memorySettings, pollIntervalMs: 0 }
  ))
  return { seen, layer: server.pipe(Layer.provideMerge(engine), Layer.provide(telemetry)) }
}

export type World = ReturnType<typeof isolatedService>

export interface Said {
  readonly status: number
  readonly text: string
  /** Statements that the request ran. */
  readonly statements: number
}

let requests = 0

/** One request as an account, and the statements that it took. */
export const sendRequest = (
  seen: Seen,
  account: string,
  method: string,
  path: string,
  body?: unknown
) =>
  Effect.gen(function*() {
    const url = `http://127.0.0.1:${yield* portOf}${path}`
    const trace = (++requests).toString(16).padStart(32, "0")
    const response = yield* Effect.promise(async () => {
      const answer = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${keyOf(account)}`,
          "content-type": "application/json",
          traceparent: `00-${trace}-00000000000000${(1).toString(16).padStart(2, "0")}-01`
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: answer.status, text: await answer.text() }
    })
    return { ...response, statements: seen.statements.get(trace) ?? 0 }
  })

/** Every row of every table, as text, by table; of one account, or of all. */
export const dump = (account: string | null) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string; readonly scoped: boolean }>`
      select c.relname as name, exists (
        select from information_schema.columns i where i.table_schema = 'public' and i.table_name = c.relname
          and i.column_name = 'account_id') as scoped
      from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
      where c.relkind in ('r', 'p') and not c.relispartition order by 1`
    const rows = new Map<string, string>()
    for (const { name, scoped } of tables) {
      if (account !== null && !scoped) continue
      const mine = account === null ? sql.literal("true") : sql`t.account_id = ${account}`
      const found = yield* sql<{ readonly row: string }>`
        select t::text as row from ${sql(name)} t where ${mine} order by 1`
      rows.set(name, found.map(({ row }) => row).join("\n"))
    }
    return rows
  })
