/* The driver of `ObservedCalls`: it uses the service's own database. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { dayOf } from "../../domain/Time.ts"
import { mapLedgerErrors } from "../../ledger/sql/LedgerErrors.ts"
import { type Columns, columnNames, rowSet } from "../../sql/RowSet.ts"
import { readArms, readUses } from "./ObservedStatements.ts"
import { readingWith } from "./ReadingReports.ts"
import { type ObservedCall, ObservedCalls, type ObservedGroup } from "../ObservedCalls.ts"

const columns = {
  callId: "text", calledAt: "timestamptz", modelId: "text", effort: "text", taskType: "text",
  difficulty: "text", inputTokens: "float8", cachedInputTokens: "float8", cacheWriteInputTokens: "float8",
  outputTokens: "float8", reasoningTokens: "float8", billedUsd: "float8", listUsd: "float8",
  latencyMs: "float8", timeToFirstTokenMs: "float8", sessionId: "text", userId: "text", tags: "text[]",
  quality: "float8", provenance: "text", isBroken: "boolean"
} satisfies Columns & { readonly [Field in keyof ObservedCall]: string }

/** Maximum number of groups in a report, by cost. Chosen. */
const groupsMax = 500

const gained = (call: ObservedCall, again: ObservedCall): ObservedCall => ({
  ...call,
  billedUsd: call.billedUsd ?? again.billedUsd,
  ...call.quality === null ? { quality: again.quality, provenance: again.provenance } : {}
})

/** Returns each call once, sorted by id, because all transactions must take their locks in one order. */
const inOrder = (calls: ReadonlyArray<ObservedCall>): ReadonlyArray<ObservedCall> => {
  const byId = new Map<string, ObservedCall>()
  for (const call of calls) {
    const before = byId.get(call.callId)
    byId.set(call.callId, before === undefined ? call : gained(before, call))
  }
  return [...byId.values()].sort((one, other) => one.callId < other.callId ? -1 : 1)
}

/** The connections for reading, which {@link layerReading} takes from reports. */
class ReportConnections extends Context.Service<ReportConnections, SqlClient.SqlClient>()(
  "sextant/reports/sql/ObservedCallsSql/ReportConnections"
) {}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* ReportConnections
  const guarded = mapLedgerErrors(sql)
  const reading = readingWith(read)
  const names = columnNames(columns).join(", ")
  return {
    add: (accountId, calls, leftOut) =>
      Effect.gen(function*() {
        const day = dayOf(yield* Clock.currentTimeMillis)
        const reasons = [...leftOut].map(([reason, records]) => ({ reason, records }))
          .sort((one, other) => one.reason < other.reason ? -1 : 1)
        yield* guarded(accountId, Effect.gen(function*() {
          if (calls.length > 0) {
            yield* sql`insert into observed_call as o (account_id, ${sql.literal(names)})
              select ${accountId}, ${sql.literal(names)} from ${rowSet(sql, "given", columns, inOrder(calls))}
              on conflict (account_id, call_id) do update set
                billed_usd = coalesce(o.billed_usd, excluded.billed_usd),
                quality = coalesce(o.quality, excluded.quality),
                provenance = case when o.quality is null then excluded.provenance else o.provenance end
              where (o.billed_usd is null and excluded.billed_usd is not null)
                or (o.quality is null and excluded.quality is not null)`
          }
          if (reasons.length > 0) {
            yield* sql`insert into observed_left_out as o (account_id, day, reason, records)
              select ${accountId}, ${`${day}T00:00:00Z`}::timestamptz, reason, records
              from ${rowSet(sql, "given", { reason: "text", records: "int8" }, reasons)}
              on conflict (account_id, day, reason) do update set records = o.records + excluded.records`
          }
        }))
      }),
    sums: ({ accountId, since, until }) =>
      reading({ accountId }, Effect.gen(function*() {
        const end = until ?? null
        const groups = yield* read<ObservedGroup>`
          select model_id as "modelId", task_type as "taskType", count(*)::float8 as n,
            count(*) filter (where is_broken)::float8 as "nBroken", count(billed_usd)::float8 as "nBilled",
            count(quality)::float8 as "nJudged", coalesce(sum(input_tokens), 0) as "inputTokens",
            coalesce(sum(cached_input_tokens), 0) as "cachedInputTokens",
            coalesce(sum(cache_write_input_tokens), 0) as "cacheWriteInputTokens",
            coalesce(sum(output_tokens), 0) as "outputTokens", coalesce(sum(billed_usd), 0) as "billedUsd",
            coalesce(sum(list_usd) filter (where billed_usd is null), 0) as "listUsd",
            percentile_cont(0.5) within group (order by latency_ms) as "latencyMsP50", avg(quality) as quality
          from observed_call where account_id = ${accountId} and called_at >= ${since}
            and (${end}::timestamptz is null or called_at < ${end}::timestamptz)
          group by 1, 2 order by sum(coalesce(billed_usd, list_usd, 0)) desc, n desc, 1, 2 limit ${groupsMax}`
        const leftOut = yield* read<{ readonly reason: string; readonly n: number }>`
          select reason, sum(records)::float8 as n from observed_left_out
          where account_id = ${accountId} and day >= date_trunc('day', ${since}::timestamptz, 'UTC')
            and (${end}::timestamptz is null or day < ${end}::timestamptz)
          group by 1 order by n desc, 1`
        return { groups, leftOut }
      })),
    arms: (window) =>
      window.modelId === undefined ? reading(window, readArms(read, window)) : Effect.succeed([]),
    uses: (window, modelId) => reading(window, readUses(read, window, modelId))
  } satisfies typeof ObservedCalls.Service
})

// Functions make each inner layer anew, so that `layer` and `layerReading` share no connections.
const reportConnections = () => Layer.effect(ReportConnections, SqlClient.SqlClient)
const driver = () => Layer.effect(ObservedCalls, make)

export const layer: Layer.Layer<never, never, SqlClient.SqlClient> =
  driver().pipe(Layer.provide(reportConnections()))

export const layerReading = <E, R>(reports: Layer.Layer<SqlClient.SqlClient, E, R>) =>
  driver().pipe(Layer.provide(reportConnections().pipe(Layer.provide(reports))))
