/* Fills a ledger with decisions over the last 60 days, in SQL. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountId } from "../../../src/domain/Scope.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"

/** Rows that are written between two vacuums, which a server at work does on its own. */
const batchRows = 25_000
const days = 60

/** Of no interest to any report, but it lies between the rows that are. */
const neighbours = JSON.stringify(Array.from({ length: 8 }, (_, i) =>
  [`01890000-0000-7000-8000-00000000000${i}`, `maker/model-${i}`, 0.123456789 / (i + 1)]))
const forecasts = JSON.stringify(Array.from({ length: 8 }, (_, i) =>
  [`maker/model-${i}`, 0.7123456789 / (i + 1), 0.6123456789 / (i + 1), 0.55123456 / (i + 1), 0.5123456 / (i + 1)]))

const candidates = Array.from({ length: 8 }, (_, m) =>
  `jsonb_build_array('maker/model-' || (i + ${m} * 3) % 24, 0.3 + 0.6 * abs(sin(i * ${m + 1})),
    0.001 * ${m + 1} * (1 + abs(cos(i * ${m + 2}))), ${m} <> 5)`).join(", ")

const decisions = (sql: SqlClient.SqlClient, accountId: AccountId, from: number, to: number, rows: number) => sql`
  insert into decision (account_id, created_at, recommendation_id, lane, task_excerpt, task_type, difficulty, tags,
    recommended_model_id, predicted_success, threshold, decision_basis, selection_policy, propensity,
    is_exploration, is_escalated, cost_recommended_usd, cost_premium_usd, cost_declared_usd,
    baseline_model_id,
    candidates, neighbours, forecasts, warnings, catalog_version, latency_ms)
  select ${accountId}, at,
    (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(noise, 1, 3)
      || '8' || substr(noise, 4, 15))::uuid,
    'sextant:lane' || i % 4, repeat(noise || ' words of a task ', 6),
    (array['code', 'qa', 'summarization', 'extraction', 'reasoning', 'rag', 'creative'])[1 + i % 7],
    (array['trivial', 'easy', 'medium', 'hard', 'expert'])[1 + i / 7 % 5], '[]',
    'maker/model-' || (i + i % 3 * 3) % 24, 0.5 + 0.4 * chance, 0.75, 'memory', 'epsilon_softmax',
    case when chance < 0.03 then 0.02 else 1 end, chance < 0.03, chance > 0.9,
    0.001 * (1 + chance), 0.02, case when i % 3 = 0 then 0.01 end,
    case when i % 3 = 0 then 'maker/model-' || (i % 2 * 5) end,
    jsonb_build_array(${sql.literal(candidates)}), ${neighbours}::jsonb, ${forecasts}::jsonb, '[]', 'v1', 3.5
  from (
    select i, md5(i::text || random()) as noise, random() as chance,
      date_trunc('milliseconds', now() - interval '1 day' * ${days}::int * (1 - i / ${rows}::float8)) as at
    from generate_series(${from}::int, ${to}::int) as i) as drawn`

/** 64 % have feedback; a gate labels two thirds of it, a judge the rest; nine in ten followed the advice. */
const feedback = (sql: SqlClient.SqlClient, accountId: AccountId, from: Date) => sql`
  update decision set
    feedback_at = created_at + interval '1 hour' * chance,
    chosen_model_id = case when chance < 0.58 then recommended_model_id else candidates->3->>0 end,
    outcome = case when chance < 0.42 then 'success' when chance < 0.48 then 'partial' else 'failure' end,
    quality = chance, provenance = case when kind < 0.667 then 'gate' else 'judge' end, teaches = true,
    is_late = kind > 0.99, actual_cost_usd = 0.001 * (1 + kind), input_tokens = 400, output_tokens = 300,
    actual_latency_ms = 900
  from (select recommendation_id as id, random() as chance, random() as kind from decision
    where account_id = ${accountId} and created_at > ${from}) as drawn
  where account_id = ${accountId} and created_at > ${from} and recommendation_id = id and chance < 0.64`

/** Writes a ledger of so many decisions over the last 60 days, as recommendations and feedback do. */
export const fillLedger = Effect.fnUntraced(function*(accountId: AccountId, rows: number) {
  const sql = yield* SqlClient.SqlClient
  for (let from = 1; from <= rows; from += batchRows) {
    const to = Math.min(rows, from + batchRows - 1)
    const since = new Date(Date.now() - 86_400_000 * days * (1 - (from - 1) / rows) - 60_000)
    yield* decisions(sql, accountId, from, to, rows).pipe(
      Effect.andThen(feedback(sql, accountId, since)),
      withAccount(accountId)
    )
    yield* sql`vacuum analyze decision`
    yield* sql`vacuum analyze decision_figures`
  }
})
