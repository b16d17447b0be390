/* Separates rows that this version can read from those of a newer version. */
import { Effect, Schema } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { ErrorCause, Outcome, Provenance } from "../../domain/feedback/Feedback.ts"
import { DecisionBasis } from "../../domain/RankedModel.ts"
import { SelectionPolicy } from "../../domain/Recommendation.ts"
import { difficulties, taskTypes } from "../../domain/Task.ts"
import { measure, meters } from "../../telemetry/Metrics.ts"
import { type DecisionRow, type DecisionTextRow, toDecision } from "./DecisionRow.ts"
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

/** Whether the words are of this version's vocabulary: a newer one may have written them. */
const isReadable = (decision: Decision): boolean =>
  isTaskType(decision.taskType) && isDifficulty(decision.difficulty) && isBasis(decision.decisionBasis)
  && isPolicy(decision.selectionPolicy)

/** Passes over rows, counts them and says so in the log. */
const keptOf = <Row extends DecisionRow & Partial<DecisionTextRow>>(
  rows: ReadonlyArray<Row>,
  isKept: (row: Row) => boolean
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

/** The rows that this version can read, with their decisions; the others are counted and said in the log. */
export const readable = <Row extends DecisionRow & Partial<DecisionTextRow>>(rows: ReadonlyArray<Row>) =>
  keptOf(rows, () => true)

const hasReadableOutcomes = ({ outcomes }: OutcomesCell): boolean =>
  outcomes === null || (Array.isArray(outcomes) && outcomes.every(isLabelled))

/** {@link readable} rows whose outcomes this version can read too. */
export const readableReported = <Row extends DecisionRow & OutcomesCell>(rows: ReadonlyArray<Row>) =>
  keptOf(rows, hasReadableOutcomes)
