/* What the reports of a decision come to, as the table `outcome` keeps it. */
import { type RecommendationId, timeOf } from "../../domain/RecommendationId.ts"
import { type ReportedOutcome, revisionAbove } from "../../domain/FeedbackPrecedence.ts"
import type { DecisionOutcomes } from "../Settlement.ts"

/** One outcome as JSON keeps it. */
type StoredOutcome = Omit<ReportedOutcome, "label"> & {
  readonly label: Omit<ReportedOutcome["label"], "feedbackAt"> & { readonly feedbackAt: string }
}

/** The column of a decision's outcomes, null without a report. */
export interface OutcomesCell {
  readonly outcomes: ReadonlyArray<StoredOutcome> | null
}

/** A decision's outcomes as they are stored, with a revision that was drawn for this reading. */
export interface StoredOutcomes extends OutcomesCell {
  readonly revision: number
}

/** The columns of {@link StoredOutcomes}, in SQL. */
export const outcomesColumns = "outcomes, nextval('report_revision')::float8 as revision"

/** Throws where the stored outcomes do not have the shape that this version reads. */
export const parsedOutcomes = ({ outcomes }: OutcomesCell): ReadonlyArray<ReportedOutcome> =>
  (outcomes ?? []).map(({ label, ...outcome }) =>
    ({ ...outcome, label: { ...label, feedbackAt: new Date(label.feedbackAt) } }))

/** {@link parsedOutcomes} with a revision above all of them. */
export const toDecisionOutcomes = (stored: StoredOutcomes): DecisionOutcomes => {
  const outcomes = parsedOutcomes(stored)
  return { outcomes, revision: revisionAbove(outcomes, stored.revision) }
}

/**
 * The time in a decision's id as PostgreSQL reads it. ISO 8601 writes a year after 9999, which a caller's id
 * may hold, with a sign and six digits: the statement that looks such an id up would fail.
 */
export const createdAtOf = (recommendationId: RecommendationId): string =>
  timeOf(recommendationId).toISOString().replace(/^\+0*/, "")
