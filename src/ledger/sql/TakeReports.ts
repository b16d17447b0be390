/* Reads the state that reports are planned from, under the lock of their account's log. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { ReportedOutcome } from "../../domain/feedback/FeedbackPrecedence.ts"
import { createdAtOf } from "../../domain/RecommendationId.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import type { ReportSubmission } from "../ReportSubmission.ts"
import { type OutcomesCell, readOutcomes, type UnreadableOutcomes } from "./StoredOutcomes.ts"

/** An existing decision with its outcomes. */
export interface DecisionState {
  readonly outcomes: ReadonlyArray<ReportedOutcome>
  readonly taskKey: string | null
}

/** The stored state of a group's keys, decisions and lanes. */
export interface LogState {
  /** The rows of applied keys, by key. */
  readonly answers: ReadonlyMap<string, object>
  readonly decisions: ReadonlyMap<string, DecisionState>
  readonly numbers: ReadonlyMap<Lane, LaneNumbers>
  /** Whether the infrastructure broke a call of the account in the last ten minutes. */
  readonly hasBroken: boolean
}

/** The columns of `take_reports`. */
export interface TakenReports {
  readonly revision: number
  readonly answers: ReadonlyArray<{ readonly key: string }> | null
  readonly decisions:
    | ReadonlyArray<OutcomesCell & { readonly id: string; readonly taskKey: string | null }>
    | null
  readonly numbers: ReadonlyArray<LaneNumbers & { readonly lane: Lane }> | null
  readonly hasBroken: boolean
}

const nothing: TakenReports =
  { revision: 0, answers: null, decisions: null, numbers: null, hasBroken: false }

/** Locks the log, takes a revision for each report, and reads the state that they are planned from. */
export const takeReports = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  group: ReadonlyArray<ReportSubmission>
): Effect.Effect<TakenReports, SqlError.SqlError> => {
  const keys = group.map(({ key }) => key.idempotencyKey)
  const ids = [...new Set(group.map(({ decision }) => decision.recommendationId))]
  const lanes = [...new Set(group.map(({ decision }) => decision.lane))]
  return Effect.map(
    sql<TakenReports>`select revision, answers, decisions, numbers, has_broken as "hasBroken"
      from take_reports(${accountId}, ${group.length}, ${keys}::text[],
        ${ids.map(createdAtOf)}::timestamptz[], ${ids}::uuid[], ${lanes}::text[])`,
    ([row]) => row ?? nothing
  )
}

/** Parses the state that was read. */
export const logStateOf = (
  { answers, decisions, hasBroken, numbers }: TakenReports
): Effect.Effect<LogState, UnreadableOutcomes> =>
  Effect.map(
    Effect.forEach(decisions ?? [], ({ id, taskKey, ...stored }) =>
      Effect.map(readOutcomes(stored), (outcomes): readonly [string, DecisionState] =>
        [id, { outcomes, taskKey }])),
    (known) => ({
      answers: new Map((answers ?? []).map((each) => [each.key, each])),
      decisions: new Map(known),
      numbers: new Map((numbers ?? []).map(({ lane, ...learned }) => [lane, learned])),
      hasBroken
    })
  )
