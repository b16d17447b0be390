/* Skips stored decisions that only a newer version of the service can read. */
import { Effect, Schema } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { ErrorCause, Outcome, Provenance } from "../../domain/feedback/Feedback.ts"
import { DecisionBasis } from "../../domain/RankedModel.ts"
import { SelectionPolicy } from "../../domain/Recommendation.ts"
import { difficulties, taskTypes } from "../../domain/Task.ts"
import { measure, meters } from "../../telemetry/Metrics.ts"
import { type DecisionRow, type DecisionTextRow, toDecision } from "./DecisionColumns.ts"
import type { OutcomesCell } from "./StoredOutcomes.ts"

const isOneOf = <A extends string>(words: ReadonlyArray<A>) => {
  const known = new Set<unknown>(words)
  return (word: unknown): boolean => known.has(word)
}
const isTaskType = isOneOf(taskTypes)
const isDifficulty = isOneOf(difficulties)
const isBasis = Schema.is(DecisionBasis)
const isPolicy = Schema.is(SelectionPolicy)

const isLabelled = Schema.is(Schema.Struct({
  label: Schema.Struct({
    feedbackAt: Schema.String, outcome: Outcome, provenance: Provenance, errorCause: Schema.NullOr(ErrorCause)
  })
}))

/** Returns true if this version knows the decision's task type, difficulty, basis and selection policy. */
const isReadable = (decision: Decision): boolean =>
  isTaskType(decision.taskType) && isDifficulty(decision.difficulty) && isBasis(decision.decisionBasis)
  && isPolicy(decision.selectionPolicy)

/**
 * Returns the rows that this version can read; counts and logs the rows that it cannot read.
 * @param isKept a further condition on the rows, such as {@link hasReadableOutcomes}
 */
export const readable = <Row extends DecisionRow & Partial<DecisionTextRow>>(
  rows: ReadonlyArray<Row>,
  isKept: (row: Row) => boolean = () => true
): Effect.Effect<ReadonlyArray<Row & { readonly decision: Decision }>> =>
  Effect.suspend(() => {
    const kept = rows.flatMap((row) => {
      const decision = isKept(row) ? toDecision(row) : null
      return decision === null || !isReadable(decision) ? [] : [{ ...row, decision }]
    })
    const unreadable = rows.length - kept.length
    if (unreadable === 0) return Effect.succeed(kept)
    return Effect.logWarning("Skipped unreadable decisions").pipe(
      Effect.annotateLogs({ unreadable }),
      Effect.andThen(measure((add) => add(meters.rowsUnreadable({}), unreadable))),
      Effect.as(kept)
    )
  })

/** Returns true if this version knows the outcomes' labels. */
export const hasReadableOutcomes = ({ outcomes }: OutcomesCell): boolean =>
  outcomes === null || (Array.isArray(outcomes) && outcomes.every(isLabelled))
