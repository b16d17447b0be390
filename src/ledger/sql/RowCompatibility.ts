/* Separates rows that this version can read from those of a newer version. */
import { Effect, Schema } from "effect"
import { ErrorCause, Outcome, Provenance } from "../../domain/Feedback.ts"
import { DecisionBasis } from "../../domain/RankedModel.ts"
import { SelectionPolicy } from "../../domain/Recommendation.ts"
import { difficulties, taskTypes } from "../../domain/Task.ts"
import { measure, meters } from "../../telemetry/Metrics.ts"
import type { DecisionRow } from "./DecisionRow.ts"
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

const isTuples = (value: unknown): boolean =>
  Array.isArray(value) && value.every((tuple) => Array.isArray(tuple))

/** Whether the row's words and shapes are of this version's vocabulary: a newer one may have written it. */
const isReadable = (row: DecisionRow): boolean =>
  isTaskType(row.taskType) && isDifficulty(row.difficulty) && isBasis(row.decisionBasis)
  && isPolicy(row.selectionPolicy) && isTuples(row.candidates) && Array.isArray(row.tags)
  && Array.isArray(row.warnings)
  && (!("neighbours" in row) || isTuples(row.neighbours))
  && (!("forecasts" in row) || isTuples(row.forecasts))

const keptOf = <Row>(
  rows: ReadonlyArray<Row>,
  isKept: (row: Row) => boolean
): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.suspend(() => {
    const kept = rows.filter(isKept)
    const unreadable = rows.length - kept.length
    if (unreadable === 0) return Effect.succeed(kept)
    return Effect.logWarning("Skipped unreadable decisions").pipe(
      Effect.annotateLogs({ unreadable }),
      Effect.andThen(measure((add) => add(meters.rowsUnreadable({}), unreadable))),
      Effect.as(kept)
    )
  })

/** The rows that this version can read; the others are counted and said in the log. */
export const readable = <Row extends DecisionRow>(rows: ReadonlyArray<Row>) => keptOf(rows, isReadable)

const hasReadableOutcomes = ({ outcomes }: OutcomesCell): boolean =>
  outcomes === null || (Array.isArray(outcomes) && outcomes.every(isLabelled))

/** {@link readable} rows whose outcomes this version can read too. */
export const readableReported = <Row extends DecisionRow & OutcomesCell>(rows: ReadonlyArray<Row>) =>
  keptOf(rows, (row) => isReadable(row) && hasReadableOutcomes(row))
