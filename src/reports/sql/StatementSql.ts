/* Reads all parts of a month's statement, as of one moment. */
import { Effect, type Scope } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import {
  type DecisionFate, decisionFates, monthRange, type StatedDecisions, type StatedReports, type StatedRows,
  type Statement
} from "../../domain/reports/Statement.ts"
import { dayOf } from "../../domain/Time.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { withAccount } from "../../sql/AccountScope.ts"
import { inTransaction } from "../../sql/Rollback.ts"
import { reasonOf } from "../../sql/SqlFailure.ts"
import { Aggregates } from "../Aggregates.ts"
import { type LedgerWindow, monthsOf } from "../LedgerWindow.ts"
import { columnsOf } from "../OutcomeColumns.ts"
import { makePolicyThread } from "../PolicyThread.ts"
import { reportSettings } from "../ReportSettings.ts"
import { type StatedMonth, statementOf, statementWindow } from "../savings/Statement.ts"
import { condition, counted } from "./AggregateStatements.ts"
import { cost } from "./CostOutliers.ts"
import { knownCosts } from "./FollowedStatements.ts"

/** The SQL class of a decision, which the first true condition gives. */
const fate = `case
  when is_shadow then 'shadow'
  when feedback_at is null then 'not_reported'
  when chosen_model_id is distinct from recommended_model_id then 'another_model'
  when cost_declared_usd is null or baseline_model_id is null then 'no_baseline'
  when is_broken then 'broken'
  when ${cost} is null then 'no_cost'
  when recommendation_id in (select id from outliers) then 'outlier'
  when actual_cost_usd is null then 'at_list_prices'
  else 'by_bill' end`

const decisionsIn = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, window: LedgerWindow) {
  const rows = yield* sql<{ readonly fate: DecisionFate; readonly n: number }>`
    with ${knownCosts(sql, counted(sql, monthsOf(window)))}
    select ${sql.literal(fate)} as fate, count(*)::int as n
    from decision_figures where ${condition(sql, window)} group by 1`
  const of = (fate: DecisionFate): number => rows.find((row) => row.fate === fate)?.n ?? 0
  const decisions: StatedDecisions = {
    n: decisionFates.reduce((sum, fate) => sum + of(fate), 0),
    byBill: of("by_bill"), atListPrices: of("at_list_prices"), shadow: of("shadow"),
    notReported: of("not_reported"), anotherModel: of("another_model"), noBaseline: of("no_baseline"),
    broken: of("broken"), noCost: of("no_cost"), outlier: of("outlier")
  }
  return decisions
})

/**
 * The SQL text of a decision that is hashed: columns behind the statement's figures. Times are seconds since
 * 1970, so that the text does not depend on the session's time zone.
 */
const line = `jsonb_build_array(recommendation_id, extract(epoch from created_at), lane, cluster,
  recommended_model_id, baseline_model_id, chosen_model_id, propensity, cost_recommended_usd,
  cost_premium_usd, cost_declared_usd, reasoner_cost_usd, actual_cost_usd, computed_cost_usd,
  extract(epoch from feedback_at), provenance, success, is_shadow, is_broken, is_late, is_escalated,
  is_exploration, is_epsilon, is_trusted, task_key, attempt_number,
  encode(sha256(candidates), 'hex'))::text`

const rowsIn = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, window: LedgerWindow) {
  const months = monthsOf(window)
  const days = yield* sql<StatedRows["days"][number]>`
    select to_char((created_at at time zone 'UTC')::date, 'YYYY-MM-DD') as day, count(*)::int as n,
      encode(sha256(convert_to(string_agg(${sql.literal(line)}, chr(10) order by recommendation_id), 'UTF8')),
        'hex') as sha256
    from decision_figures where ${condition(sql, months)} group by 1 order by 1`
  const text = days.map(({ day, n, sha256 }) => `${day} ${n} ${sha256}\n`).join("")
  const rows: StatedRows = {
    since: dayOf(months.since.getTime()),
    until: dayOf((months.until ?? months.since).getTime()),
    n: days.reduce((sum, { n }) => sum + n, 0),
    sha256: createHash("sha256").update(text).digest("hex"),
    days
  }
  return rows
})

/**
 * Reads the last revision of the log, and the number of the month's reports that were deleted. A revision
 * that is missing in the month's log counts as a deleted report.
 */
const reportsIn = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, { accountId, month }: StatedMonth) {
  const { since, until } = monthRange(month)
  const [found] = yield* sql<StatedReports>`
    with own as (
      select revision, reported_at from report where account_id = ${accountId}
    ), log as (
      select coalesce((select revision from account_log where account_id = ${accountId}), 0) as last
    ), bounds as (
      select coalesce(max(revision) filter (where reported_at < ${since}), 0) as before,
        coalesce(min(revision) filter (where reported_at >= ${until}), (select last + 1 from log)) as behind
      from own
    )
    select last::float8 as revision, greatest(0, behind - before - 1 - (
      select count(*) from own where revision > before and revision < behind))::int as "nMissing"
    from log, bounds`
  const reports: StatedReports = { revision: found?.revision ?? 0, nMissing: found?.nMissing ?? 0 }
  return reports
})

/** Figures and hash cover the same rows, even if reports arrive meanwhile. */
export const readStatement = Effect.fnUntraced(function*(
  asked: StatedMonth
): Effect.fn.Return<Statement, LedgerUnavailable, SqlClient.SqlClient | Aggregates | Scope.Scope> {
  const sql = yield* SqlClient.SqlClient
  const aggregates = yield* Aggregates
  const judge = yield* makePolicyThread
  const window = statementWindow(asked)
  const read = Effect.gen(function*() {
    yield* sql`set transaction isolation level repeatable read, read only`
    // The reads run one after another, because they share a connection.
    return yield* Effect.gen(function*() {
      const [moment] = yield* sql<{ readonly ms: number }>`select extract(epoch from now()) * 1000 as ms`
      const figures = yield* aggregates.savings(window, null)
      const outcomes = yield* aggregates.trusted(window)
      yield* sql`select set_config('statement_timeout', ${String(reportSettings.statedRowsMs)}, true)`
      return {
        madeAt: new Date(Number(moment?.ms)),
        figures,
        outcomes,
        decisions: yield* decisionsIn(sql, window),
        reports: yield* reportsIn(sql, asked),
        rows: yield* rowsIn(sql, window)
      }
    }).pipe(withAccount(asked.accountId))
  }).pipe(
    inTransaction(sql),
    Effect.catchIf(SqlError.isSqlError, (cause) =>
      Effect.fail(new LedgerUnavailable({ reason: reasonOf(cause) })))
  )
  const { outcomes, ...parts } = yield* read
  const { quality } = yield* judge(columnsOf(outcomes))
  return statementOf(asked, { ...parts, quality })
})
