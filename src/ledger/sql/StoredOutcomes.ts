/* Reads the outcomes of a decision from the table `outcome`. */
import { Effect, Schema } from "effect"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"

/** An outcome as JSON, with its time as text. */
type JsonOutcome = Omit<ReportedOutcome, "label"> & {
  readonly label: Omit<ReportedOutcome["label"], "feedbackAt"> & { readonly feedbackAt: string }
}

/** The column with a decision's outcomes; null if the decision has no report. */
export interface OutcomesCell {
  readonly outcomes: ReadonlyArray<JsonOutcome> | null
}

/** The error of stored outcomes whose shape this version cannot read. */
export class UnreadableOutcomes extends Schema.TaggedError<UnreadableOutcomes>()("UnreadableOutcomes", {
  cause: Schema.Defect()
}) {}

/**
 * Parses the outcomes of a column. Throws if this version of the service cannot read the shape of the
 * outcomes.
 */
export const parsedOutcomes = ({ outcomes }: OutcomesCell): ReadonlyArray<ReportedOutcome> =>
  (outcomes ?? []).map(({ label, ...outcome }) =>
    ({ ...outcome, label: { ...label, feedbackAt: new Date(label.feedbackAt) } }))

/**
 * Reads the outcomes of a column. Fails if this version of the service cannot read the shape of the outcomes.
 */
export const readOutcomes = (
  cell: OutcomesCell
): Effect.Effect<ReadonlyArray<ReportedOutcome>, UnreadableOutcomes> =>
  Effect.try({ try: () => parsedOutcomes(cell), catch: (cause) => new UnreadableOutcomes({ cause }) })
