/* Settles feedbacks of one account in one statement. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AccountId } from "../../domain/Scope.ts"
import { noRows, nothingWritten, type WrittenRows } from "../../domain/WriteRows.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"
import type { LaneNumbers } from "../../stats/LaneNumbers.ts"
import { likelihoods } from "../../stats/NeighbourMixture.ts"
import {
  completed, type OutdatedSettlement, type PlannedCalibration, type ReportedCall, type SettledFeedback,
  type Settlement
} from "../Settlement.ts"
import { outcomeRow } from "./OutcomeRow.ts"
import { encodeResponse, storedAnswer } from "./StoredAnswer.ts"
import { createdAtOf, type StoredOutcomes, toDecisionOutcomes } from "./StoredOutcomes.ts"

/** The place of a feedback in its group. */
interface Position {
  readonly position: number
}

/** What `settle_feedbacks` yields. */
interface GroupAnswer {
  /** Of keys that were claimed before: fingerprint, response and what was written. */
  readonly claimed: ReadonlyArray<Position>
  readonly outdated: ReadonlyArray<Position & StoredOutcomes & { readonly isThere: boolean }>
  readonly written: ReadonlyArray<Position & WrittenRows>
  readonly numbers: ReadonlyArray<LaneNumbers & { readonly lane: string }>
}

const claimRow = ({ claim, decision: { recommendationId }, report, response }: Settlement) => ({
  key: claim.idempotencyKey,
  fingerprint: claim.fingerprint,
  report: { recommendationId, ...report },
  response: encodeResponse(response)
})

const callRow = (call: ReportedCall) => ({
  provider: call.provider,
  model_id: call.modelId,
  reporter: call.reporter,
  failed: call.isBroken,
  limited: call.isRateLimited,
  retry_after_ms: call.retryAfterMs
})

const reportRow = ({ before, call, decision, outcomes, taskKey }: Settlement) => ({
  ...outcomeRow(decision, before, outcomes, taskKey),
  ...(call === null ? {} : { call: callRow(call) })
})

const trialRow = (accountId: AccountId, { lane, replaced, rule, start, trial }: PlannedCalibration) => {
  const old = replaced === null ? null : likelihoods(replaced)
  return {
    lane,
    hedge: rule.hedgeShare,
    ...likelihoods(trial),
    spread: trial.spreadEvidence,
    old_spread: replaced?.spreadEvidence.map((each) => -each) ?? null,
    replaces: old !== null,
    old_local: old?.local ?? null,
    old_cells: old?.cells ?? null,
    start: {
      account_id: accountId, lane, outcomes: start.outcomes, local_share: start.localShare,
      spread_evidence: start.spreadEvidence
    }
  }
}

/** The rows of each settlement as one JSON parameter, with their places. */
const placed = (
  group: ReadonlyArray<Settlement>,
  rowsOf: (settlement: Settlement) => ReadonlyArray<object>
) =>
  group.flatMap((settlement, position) => rowsOf(settlement).map((row) => ({ position, ...row })))

const writeTables = Object.keys(noRows) as ReadonlyArray<keyof typeof noRows>

/** Calls `settle_feedbacks`. */
const call = Effect.fnUntraced(function*(accountId: AccountId, group: ReadonlyArray<Settlement>) {
  const sql = yield* SqlClient.SqlClient
  const claims = placed(group, (each) => [claimRow(each)])
  const writes = Object.fromEntries(writeTables.map((table) =>
    [table, placed(group, ({ rows }) => rows[table])]))
  const prepaid = placed(group, (each) => each.prepaid.map(({ modelId, tokens }) =>
    ({ model_id: modelId, tokens, created_at: createdAtOf(each.decision.recommendationId) })))
  const written = prepaid.length === 0 ? writes : { ...writes, prepaid }
  const trials = placed(group, ({ calibration }) =>
    calibration === null ? [] : [trialRow(accountId, calibration)])
  const [row] = yield* sql<{ readonly settled: GroupAnswer }>`select settle_feedbacks(${accountId},
    ${wellFormedJson(claims)}::text::json,
    ${group.map(({ decision }) => createdAtOf(decision.recommendationId))}::timestamptz[],
    ${wellFormedJson(placed(group, (each) => [reportRow(each)]))}::text::json,
    ${wellFormedJson(written)}::text::json, ${wellFormedJson(trials)}::text::json) as settled`
  return row === undefined
    ? yield* Effect.die(new Error("A statement without a condition yields its row"))
    : row.settled
})

const at = <A extends Position>(rows: ReadonlyArray<A>, position: number): A | undefined =>
  rows.find((row) => row.position === position)

/** The result of one settlement; lets this process know of what is durable. */
const resultOf = Effect.fnUntraced(function*(
  { calibration, claim, onWritten, response }: Settlement,
  position: number,
  { claimed, numbers, outdated, written }: GroupAnswer
): Effect.fn.Return<SettledFeedback | OutdatedSettlement, Schema.SchemaError> {
  const earlier = at(claimed, position)
  if (earlier !== undefined) return yield* storedAnswer(earlier, claim)
  const present = at(outdated, position)
  if (present !== undefined) {
    return { claim: "outdated", known: present.isThere ? toDecisionOutcomes(present) : null }
  }
  const own = at(written, position) ?? null
  yield* onWritten(own ?? nothingWritten)
  const moved = calibration === null ? undefined : numbers.find(({ lane }) => lane === calibration.lane)
  if (calibration !== null && moved !== undefined) {
    const { lane: _, ...learned } = moved
    yield* calibration.remember(learned)
  }
  return { response: completed(response, own), claim: "first" }
})

/** Settles feedbacks of different decisions and keys. Yields the result of each once all are durable. */
export const settleFeedbacks = Effect.fnUntraced(function*(
  accountId: AccountId,
  group: ReadonlyArray<Settlement>
): Effect.fn.Return<
  ReadonlyArray<SettledFeedback | OutdatedSettlement>,
  SqlError.SqlError | Schema.SchemaError,
  SqlClient.SqlClient
> {
  // In one order, so that two groups cannot wait for each other's decisions.
  const ordered = group.toSorted((one, other) =>
    one.decision.recommendationId < other.decision.recommendationId ? -1 : 1)
  const answer = yield* call(accountId, ordered)
  const results = new Map(yield* Effect.forEach(ordered, (each, position) =>
    Effect.map(resultOf(each, position, answer), (result) => [each, result] as const)))
  return group.flatMap((each) => results.get(each) ?? [])
})
