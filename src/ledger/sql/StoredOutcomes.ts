/* Reads the outcomes of a decision from the table `outcome`. */
import { Effect, Schema } from "effect"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"

/** An outcome in JSON, with its time as text. */
type JsonOutcome = Omit<ReportedOutcome, "label"> & {
  readonly label: Omit<ReportedOutcome["label"], "feedbackAt"> & { readonly feedbackAt: string }
}

/** The column of a decision's outcomes; null without a report. */
export interface OutcomesCell {
  readonly outcomes: ReadonlyArray<JsonOutcome> | null
}

/** The error for stored outcomes in a shape that this version cannot read. */
export class UnreadableOutcomes extends Schema.TaggedError<UnreadableOutcomes>()("UnreadableOutcomes", {
  cause: Schema.Defect()
}) {}

/** The outcomes of a column. Throws if this version cannot read their shape. */
export const parsedOutcomes = ({ outcomes }: OutcomesCell): ReadonlyArray<ReportedOutcome> =>
  (outcomes ?? []).map(({ label, ...outcome }) =>
    ({ ...outcome, label: { ...label, feedbackAt: new Date(label.feedbackAt) } }))

/** The outcomes of a column. Fails if this version cannot read their shape. */
export const readOutcomes = (
  cell: OutcomesCell
): Effect.Effect<ReadonlyArray<ReportedOutcome>, UnreadableOutcomes> =>
  Effect.try({ try: () => parsedOutcomes(cell), catch: (cause) => new UnreadableOutcomes({ cause }) })
