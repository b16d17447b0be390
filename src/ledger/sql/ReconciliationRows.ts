/* Adds reports to decisions, each under the lock of its decision's row. */
import { type Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Reconciliation } from "../../domain/Decision.ts"
import { type RecommendationId, timeOf } from "../../domain/RecommendationId.ts"
import {
  type FeedbackReport, foreseenRevision, outcomesWith, reconciliationOf, type ReportEffect, reported,
  type ReportedOutcome, type ReportRule, revisionAbove
} from "../../domain/ReportPrecedence.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { batchWrites } from "../../sql/BatchWrites.ts"
import { rowSet } from "../../sql/RowSet.ts"
import {
  feedbackAssignments, feedbackCells, feedbackColumns, feedbackDeclarations, type FeedbackRow,
  toReconciliation
} from "./DecisionRow.ts"

/** A decision by its id, whose partition follows from the time inside it. */
interface DecisionKey {
  readonly accountId: AccountId
  readonly recommendationId: RecommendationId
}

/** A report for its decision. */
interface ReportToReconcile extends DecisionKey {
  readonly report: FeedbackReport
  readonly rule: ReportRule
}

/** One outcome as JSON keeps it. */
type StoredOutcome = Omit<ReportedOutcome, "label"> & {
  readonly label: Omit<ReportedOutcome["label"], "feedbackAt"> & { readonly feedbackAt: string }
}

/** A decision's outcomes as they are stored, with a revision that was drawn for this reading. */
export interface OutcomesRow extends FeedbackRow {
  readonly outcomes: ReadonlyArray<StoredOutcome> | null
  readonly revision: number
}

const outcomesOf = (row: OutcomesRow): ReadonlyArray<ReportedOutcome> =>
  outcomesWith(
    (row.outcomes ?? []).map(({ label, ...outcome }) =>
      ({ ...outcome, label: { ...label, feedbackAt: new Date(label.feedbackAt) } })),
    toReconciliation(row)
  )

/**
 * The time in a decision's id as PostgreSQL reads it. ISO 8601 writes a year after 9999, which a caller's id
 * may hold, with a sign and six digits: the statement that looks such an id up would fail.
 */
export const createdAtOf = ({ recommendationId }: Pick<DecisionKey, "recommendationId">): string =>
  timeOf(recommendationId).toISOString().replace(/^\+0*/, "")

/** The columns of {@link OutcomesRow}, in SQL. */
export const outcomesColumns =
  `outcomes, nextval('report_revision')::float8 as revision, ${feedbackColumns}`

/** The rows of decisions, locked in one order, so that two settlements cannot deadlock. */
const select = Effect.fnUntraced(function*(places: Arr.NonEmptyReadonlyArray<DecisionKey>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<OutcomesRow & { readonly recommendation_id: RecommendationId }>`
    select recommendation_id::text as recommendation_id, ${sql.literal(outcomesColumns)}
    from decision
    where account_id = ${places[0].accountId}
      and created_at = any(${places.map(createdAtOf)}::timestamptz[])
      and recommendation_id = any(${places.map(({ recommendationId }) => recommendationId)}::uuid[])
    order by recommendation_id for update`
})

const drawRevision = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly revision: number }>`
    select nextval('report_revision')::float8 as revision`
  return rows[0]?.revision ?? 0
})

const columns = `created_at timestamptz, recommendation_id uuid, ${feedbackDeclarations}, outcomes text`

const rowOf = (
  { recommendationId }: DecisionKey,
  reconciliation: Reconciliation,
  outcomes: ReadonlyArray<ReportedOutcome>
) => ({
  ...feedbackCells(reconciliation),
  created_at: timeOf(recommendationId),
  recommendation_id: recommendationId,
  outcomes: JSON.stringify(outcomes)
})

/** A decision as it is locked, and as the reports of this statement leave it. */
interface Locked {
  readonly place: DecisionKey
  /** Drawn with the lock; unusable once a report of this decision has it or a higher one. */
  readonly revision: number
  outcomes: ReadonlyArray<ReportedOutcome>
  isChanged: boolean
}

const take = Effect.fnUntraced(function*(locked: Locked, { report, rule }: ReportToReconcile) {
  const isFree = revisionAbove(locked.outcomes, locked.revision) === locked.revision
  const revision = foreseenRevision(locked.outcomes, report, rule)
    ?? (isFree ? locked.revision : revisionAbove(locked.outcomes, yield* drawRevision))
  const { outcomes, ...counted } = reported(locked.outcomes, report, revision, rule)
  locked.isChanged ||= outcomes !== locked.outcomes
  locked.outcomes = outcomes
  return counted
})

/**
 * Takes reports of decisions, each under its decision's lock until the transaction ends: two at once, on
 * whatever copies, cannot both take themselves for the first. All items must be of one account.
 */
export const reconcileRow = batchWrites(Effect.fnUntraced(function*(
  items: Arr.NonEmptyReadonlyArray<ReportToReconcile>
) {
  const sql = yield* SqlClient.SqlClient
  const { accountId } = items[0]
  const places = new Map(items.map((each) => [each.recommendationId, each]))
  const locked = new Map<RecommendationId, Locked>()
  for (const row of yield* select(items)) {
    const place = places.get(row.recommendation_id)
    if (place === undefined) continue
    locked.set(row.recommendation_id, {
      place, revision: row.revision, outcomes: outcomesOf(row), isChanged: false
    })
  }
  const counted = new Map<ReportToReconcile, ReportEffect>()
  for (const each of items) {
    const own = locked.get(each.recommendationId)
    if (own !== undefined) counted.set(each, yield* take(own, each))
  }
  const rows = [...locked.values()].flatMap(({ isChanged, outcomes, place }) => {
    const reconciliation = isChanged ? reconciliationOf(outcomes) : null
    return reconciliation === null ? [] : [rowOf(place, reconciliation, outcomes)]
  })
  if (rows.length > 0) {
    yield* sql`update decision d set ${sql.literal(feedbackAssignments("t"))}, outcomes = t.outcomes::jsonb
      from ${rowSet(sql, "t", columns, rows)}
      where d.account_id = ${accountId} and d.recommendation_id = t.recommendation_id
        and d.created_at = t.created_at
        and d.created_at = any(${rows.map(({ created_at }) => created_at.toISOString())}::timestamptz[])`
  }
  return (each: ReportToReconcile) => counted.get(each) ?? null
}))

/** The outcomes of a decision, and a revision above that of each of their reports. */
export interface DecisionOutcomes {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  readonly revision: number
}

/** Throws where the stored outcomes do not have the shape that this version reads. */
export const toDecisionOutcomes = (row: OutcomesRow): DecisionOutcomes => {
  const outcomes = outcomesOf(row)
  return { outcomes, revision: revisionAbove(outcomes, row.revision) }
}
