/* Locks the log of an account, and reads the state from which its next reports are planned. */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { createdAtOf } from "../../domain/RecommendationId.ts"
import type { AccountId, Lane } from "../../domain/Scope.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import type { DecisionOutcomes, ReportSubmission } from "../ReportSubmission.ts"
import { type OutcomesCell, readOutcomes, type UnreadableOutcomes } from "./StoredOutcomes.ts"

export type DecisionState = Omit<DecisionOutcomes, "revision">

export interface LogState {
  readonly answers: ReadonlyMap<string, object>
  readonly decisions: ReadonlyMap<string, DecisionState>
  readonly numbers: ReadonlyMap<Lane, LaneNumbers>
  /** True if the infrastructure broke a call of the account in the last ten minutes. */
  readonly hasBroken: boolean
}

/** The row of the SQL function `take_reports`; `revision` is the last revision that the function took. */
export interface LockedLog {
  readonly revision: number
  readonly answers: ReadonlyArray<{ readonly key: string }> | null
  readonly decisions:
    | ReadonlyArray<OutcomesCell & { readonly id: string; readonly taskKey: string | null }>
    | null
  readonly numbers: ReadonlyArray<LaneNumbers & { readonly lane: Lane }> | null
  readonly hasBroken: boolean
}

const nothing: LockedLog =
  { revision: 0, answers: null, decisions: null, numbers: null, hasBroken: false }

/** Locks the account's log, takes a revision for each report, and reads the state before the reports. */
export const readLockedLog = (
  sql: SqlClient.SqlClient,
  accountId: AccountId,
  group: ReadonlyArray<ReportSubmission>
): Effect.Effect<LockedLog, SqlError.SqlError> => {
  const keys = group.map(({ key }) => key.idempotencyKey)
  const ids = [...new Set(group.map(({ decision }) => decision.recommendationId))]
  const lanes = [...new Set(group.map(({ decision }) => decision.lane))]
  return Effect.map(
    sql<LockedLog>`select revision, answers, decisions, numbers, has_broken as "hasBroken"
      from take_reports(${accountId}, ${group.length}, ${keys}::text[],
        ${ids.map(createdAtOf)}::timestamptz[], ${ids}::uuid[], ${lanes}::text[])`,
    ([row]) => row ?? nothing
  )
}

export const logStateOf = (
  { answers, decisions, hasBroken, numbers }: LockedLog
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
