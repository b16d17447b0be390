/* The outcomes of a decision as the table `outcome` stores them. */
import { Effect, Schema } from "effect"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"

/** One outcome as JSON keeps it. */
type JsonOutcome = Omit<ReportedOutcome, "label"> & {
  readonly label: Omit<ReportedOutcome["label"], "feedbackAt"> & { readonly feedbackAt: string }
}

/** The column of a decision's outcomes, null without a report. */
export interface OutcomesCell {
  readonly outcomes: ReadonlyArray<JsonOutcome> | null
}

/** The stored outcomes of a decision do not have the shape that this version reads. */
export class UnreadableOutcomes extends Schema.TaggedError<UnreadableOutcomes>()("UnreadableOutcomes", {
  cause: Schema.Defect()
}) {}

/** Throws where the stored outcomes do not have the shape that this version reads. */
export const parsedOutcomes = ({ outcomes }: OutcomesCell): ReadonlyArray<ReportedOutcome> =>
  (outcomes ?? []).map(({ label, ...outcome }) =>
    ({ ...outcome, label: { ...label, feedbackAt: new Date(label.feedbackAt) } }))

/** {@link parsedOutcomes}, or why they cannot be read. */
export const readOutcomes = (
  cell: OutcomesCell
): Effect.Effect<ReadonlyArray<ReportedOutcome>, UnreadableOutcomes> =>
  Effect.try({ try: () => parsedOutcomes(cell), catch: (cause) => new UnreadableOutcomes({ cause }) })
