/* Reads the outcomes of a decision from the table `outcome`. */
import { Effect, Schema } from "effect"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"

type JsonOutcome = Omit<ReportedOutcome, "label"> & {
  readonly label: Omit<ReportedOutcome["label"], "feedbackAt"> & { readonly feedbackAt: string }
}

export interface OutcomesCell {
  readonly outcomes: ReadonlyArray<JsonOutcome> | null
}

export class UnreadableOutcomes extends Schema.TaggedError<UnreadableOutcomes>()("UnreadableOutcomes", {
  cause: Schema.Defect()
}) {}

/** Throws if an outcome has no label, but does not check the outcome's other fields. */
export const parsedOutcomes = ({ outcomes }: OutcomesCell): ReadonlyArray<ReportedOutcome> =>
  (outcomes ?? []).map(({ label, ...outcome }) =>
    ({ ...outcome, label: { ...label, feedbackAt: new Date(label.feedbackAt) } }))

export const readOutcomes = (
  cell: OutcomesCell
): Effect.Effect<ReadonlyArray<ReportedOutcome>, UnreadableOutcomes> =>
  Effect.try({ try: () => parsedOutcomes(cell), catch: (cause) => new UnreadableOutcomes({ cause }) })
