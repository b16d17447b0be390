/* Writes the data that are computed from reports on decisions: outcomes, figures and spending. */
import type { SqlClient } from "effect/sql"
import { type Spend, spendOf } from "../../domain/account/Spending.ts"
import { isTrusted, successOf } from "../../domain/feedback/Feedback.ts"
import {
  isBroken, outcomeOf, reconciliationOf, type ReportedOutcome
} from "../../domain/feedback/FeedbackPrecedence.ts"
import { dayMs } from "../../domain/Time.ts"
import { createdAtOf, timeOf } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { columnNames, type Columns, rowSet, wellFormedJson } from "../../sql/RowSet.ts"
import type { Part } from "../../sql/StatementParts.ts"
import type { ReportSubmission } from "../ReportSubmission.ts"

type ReportedDecision = ReportSubmission["decision"]

/** The columns of `decision_figures` that the reports on a decision determine, such as success and cost. */
const figureColumns = {
  feedbackAt: "timestamptz", provenance: "text", success: "float8", quality: "float8", isLate: "boolean",
  teaches: "boolean", isTrusted: "boolean", isBroken: "boolean", actualCostUsd: "float8",
  computedCostUsd: "float8", chosenModelId: "text", chosenPosition: "int2", taughtPrediction: "float8"
} as const

const noFigures = {
  feedbackAt: null, provenance: null, success: null, quality: null, isLate: false, teaches: false,
  isTrusted: false, isBroken: false, actualCostUsd: null, computedCostUsd: null, chosenModelId: null,
  chosenPosition: null, taughtPrediction: null
}

const figuresOf = ({ candidates }: ReportedDecision, outcomes: ReadonlyArray<ReportedOutcome>) => {
  const best = reconciliationOf(outcomes)
  if (best === null) return noFigures
  const { chosenModelId, provenance, teaches } = best
  const position = candidates.findLastIndex(({ modelId }) => modelId === chosenModelId)
  const predicted = candidates.find(({ modelId }) => modelId === chosenModelId)?.predictedSuccess ?? null
  return {
    feedbackAt: best.feedbackAt,
    provenance,
    success: successOf[best.outcome],
    quality: outcomeOf(outcomes, chosenModelId)?.label.taughtQuality ?? best.quality,
    isLate: best.isLate,
    teaches,
    isTrusted: teaches && isTrusted(provenance),
    isBroken: isBroken(best),
    actualCostUsd: best.actualCostUsd,
    computedCostUsd: best.computedCostUsd,
    chosenModelId,
    chosenPosition: position === -1 ? null : position + 1,
    taughtPrediction: teaches ? predicted : null
  }
}

const sumColumns =
  { billedUsd: "float8", billedEstimateUsd: "float8", waitingUsd: "float8", leftOutUsd: "float8" } as const

const changeColumns = {
  billedChange: "float8", billedEstimateChange: "float8", waitingChange: "float8", leftOutChange: "float8",
  marginChange: "float8"
} as const

const changeOf = (before: Spend, after: Spend) => ({
  billedChange: after.billedUsd - before.billedUsd,
  billedEstimateChange: after.billedEstimateUsd - before.billedEstimateUsd,
  waitingChange: after.waitingUsd - before.waitingUsd,
  leftOutChange: after.leftOutUsd - before.leftOutUsd,
  marginChange: after.marginUsd - before.marginUsd
})

const hourMs = dayMs / 24

/**
 * @param before the stored outcomes
 * @param outcomes the outcomes that replace the stored outcomes
 * @param taskKey the key of the decision's task after the reports
 */
export const outcomeRow = (
  decision: ReportedDecision,
  before: ReadonlyArray<ReportedOutcome>,
  outcomes: ReadonlyArray<ReportedOutcome>,
  taskKey: string | null
) => {
  const { recommendationId } = decision
  const { marginUsd: _margin, ...sums } = spendOf(decision, outcomes)
  return {
    recommendationId,
    createdAt: createdAtOf(recommendationId),
    hour: new Date(Math.floor(timeOf(recommendationId).getTime() / hourMs) * hourMs),
    ...figuresOf(decision, outcomes),
    taskKey,
    outcomes: wellFormedJson(outcomes),
    ...sums,
    ...changeOf(spendOf(decision, before), spendOf(decision, outcomes))
  }
}
export type OutcomeRow = ReturnType<typeof outcomeRow>

const rowColumns = {
  recommendationId: "uuid", createdAt: "timestamptz", hour: "timestamptz", ...figureColumns, taskKey: "text",
  outcomes: "jsonb", ...sumColumns, ...changeColumns
} as const

/** Returns the earliest and the latest moment, so that PostgreSQL skips partitions of other times. */
const spanOf = (moments: ReadonlyArray<string>) => {
  const sorted = moments.toSorted()
  return { earliest: sorted[0] ?? null, latest: sorted.at(-1) ?? null }
}

/** The insert must name the columns that are not null, although its update never changes them. */
const requiredNames = `propensity, cost_recommended_usd, cost_premium_usd, waiting_usd, is_escalated,
  is_exploration, is_epsilon, lane, cluster, recommended_model_id, candidates`

const replaced = (columns: Columns): string =>
  columnNames(columns).map((column) => `${column} = excluded.${column}`).join(", ")

/**
 * Returns the SQL that writes outcomes, figures and, if the account has a budget, spending. The SQL writes
 * nothing for a decision that no longer exists.
 */
export const putOutcomes = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  rows: ReadonlyArray<OutcomeRow>
): ReadonlyArray<Part> => {
  const { earliest, latest } = spanOf(rows.map(({ createdAt }) => createdAt))
  const sums = sql.literal(columnNames(sumColumns).join(", "))
  const figures = { ...figureColumns, taskKey: "text" } as const
  const names = sql.literal(columnNames(figures).join(", "))
  return [
    sql`given as materialized (select * from ${rowSet(sql, "r", rowColumns, rows)})`,
    // Each decision is looked up by key: a plain update would read all rows from `earliest` to `latest`.
    sql`figured as (
      insert into decision_figures (account_id, created_at, recommendation_id,
        ${sql.literal(requiredNames)}, ${names})
      select held.*, ${names} from given g, lateral (
        select account_id, f.created_at, f.recommendation_id, ${sql.literal(requiredNames)}
        from decision_figures f where f.account_id = ${accountId} and f.created_at = g.created_at
          and f.recommendation_id = g.recommendation_id
          and f.created_at between ${earliest}::timestamptz and ${latest}::timestamptz offset 0
      ) as held
      on conflict (account_id, created_at, recommendation_id) do update
        set ${sql.literal(replaced(figures))}
      returning recommendation_id
    )`,
    sql`reported as (
      insert into outcome (account_id, created_at, recommendation_id, outcomes, reported_task_key, ${sums})
      select ${accountId}::text, created_at, recommendation_id, outcomes, task_key, ${sums}
      from given join figured using (recommendation_id)
      on conflict (account_id, created_at, recommendation_id) do update set outcomes = excluded.outcomes,
        reported_task_key = excluded.reported_task_key, ${sql.literal(replaced(sumColumns))}
    )`,
    sql`spent as (
      insert into spend_change (account_id, hour, requests, ${sums}, margin_usd)
      select ${accountId}::text, hour, 0, billed_change, billed_estimate_change, waiting_change,
        left_out_change, margin_change
      from given join figured using (recommendation_id)
      where exists (
        select from account_setting s where s.account_id = ${accountId} and s.budget_usd is not null)
    )`
  ]
}
