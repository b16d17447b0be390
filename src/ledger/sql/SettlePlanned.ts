/* Settles planned feedbacks of one account in one statement. */
import { Array as Arr, Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { FeedbackResponse } from "../../domain/Feedback.ts"
import { timeOf } from "../../domain/RecommendationId.ts"
import { reconciliationOf } from "../../domain/ReportPrecedence.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { BoundedMap } from "../../resilience/BoundedMap.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"
import * as LaneNumbers from "../../stats/LaneNumbers.ts"
import type { Claim } from "../Ledger.ts"
import type { PlannedCalibration, PlannedSettlement } from "../Settlement.ts"
import { feedbackCells } from "./DecisionRow.ts"
import { encodedResponse } from "./Settle.ts"

/** A feedback that can be settled by its plan. */
export interface PlannedMember {
  readonly claim: Claim & { readonly about: NonNullable<Claim["about"]> }
  readonly planned: PlannedSettlement
}

type StoredNumbers = LaneNumbers.LaneNumbers & { readonly lane: string }

/** What `settle_feedbacks` yields. */
type GroupAnswer =
  | {
    readonly unsettled: {
      readonly keys?: ReadonlyArray<string>
      readonly decisions?: ReadonlyArray<string>
      readonly outcomes?: boolean
      /** Outcomes that the present numbers of lanes rest on, by lane; null without such a lane. */
      readonly numbers?: Readonly<Record<string, number>> | null
    }
  }
  | {
    readonly unsettled?: undefined
    readonly lanes: Readonly<Record<string, number>>
    readonly taught: ReadonlyArray<{
      readonly position: number
      readonly recordId: string
      readonly isDue: boolean
    }>
    readonly voted: ReadonlyArray<
      Pick<FeedbackResponse, "updatedConfidence"> & {
        readonly position: number
        readonly entryIds: ReadonlyArray<string>
      }
    >
    readonly numbers: ReadonlyArray<StoredNumbers>
  }

type Members<M extends PlannedMember> = ReadonlyArray<M>

const laneOf = ({ planned }: PlannedMember): string => planned.writes.lane

/** How each lane's numbers move by its members, and what they start from where the lane has none. */
const numbersRow = (
  lane: string,
  calibrations: Arr.NonEmptyReadonlyArray<PlannedCalibration>,
  known: number
) => {
  const trials = calibrations.map(({ trial }) => trial)
  const [{ rule, start }] = calibrations
  const shift = LaneNumbers.shiftBy(trials, known, rule)
  const fresh = trials.reduce((numbers, trial) => LaneNumbers.observe(numbers, trial, rule), start)
  const [shareA, shareB, shareC, shareD] = shift.localShare
  return {
    lane, known, steady: LaneNumbers.steadyFrom(rule), count: shift.outcomes, step: shift.step,
    low: shift.similarityLow, high: shift.similarityHigh,
    share_a: shareA, share_b: shareB, share_c: shareC, share_d: shareD,
    cells: shift.cellsError, mixed: shift.mixedError,
    fresh_low: fresh.similarityLow, fresh_high: fresh.similarityHigh, fresh_share: fresh.localShare,
    fresh_cells: fresh.cellsError, fresh_mixed: fresh.mixedError, fresh_count: fresh.outcomes
  }
}

/** The claim's row, with the answer that is completed where it is stored. */
const claimRow = ({ claim, planned }: PlannedMember, position: number) =>
  Effect.map(encodedResponse(planned.response), (response) => ({
    position,
    key: claim.idempotencyKey,
    fingerprint: claim.fingerprint,
    report: { recommendationId: claim.about.recommendationId, ...claim.about.report },
    response
  }))

const reportRow = ({ claim: { about: { recommendationId } }, planned: { outcome } }: PlannedMember) => {
  const reconciliation = reconciliationOf([outcome])
  return {
    recommendation_id: recommendationId,
    created_at: timeOf(recommendationId),
    ...(reconciliation === null ? {} : feedbackCells(reconciliation)),
    outcomes: [outcome]
  }
}

/** Rows as one JSON parameter, those without a value left out. */
const rowsOf = <M extends PlannedMember>(
  members: Members<M>,
  rowOf: (planned: PlannedSettlement) => object | null
): string =>
  wellFormedJson(members.flatMap(({ planned }, position) => {
    const row = rowOf(planned)
    return row === null ? [] : [{ position, ...row }]
  }))

/** The number of outcomes that each lane's numbers were last seen to rest on, for as many lanes. */
const lanesMax = 10_000

/** Attempts with the members that are left, count: a member that is refused leaves the others another one. */
const attemptsMax = 4

/**
 * Settles planned feedbacks of different decisions and keys. Yields the answer of each that it settled, once
 * all of them are durable; those that it leaves out are not as they were planned, and settle alone.
 */
export const makeSettlePlanned = () => {
  const known = new BoundedMap<string, number>(lanesMax)
  const nameOf = (accountId: AccountId, lane: string): string => JSON.stringify([accountId, lane])
  const remember = (accountId: AccountId, lane: string, outcomes: number): void => {
    known.set(nameOf(accountId, lane), outcomes)
  }

  const numbersOf = <M extends PlannedMember>(accountId: AccountId, members: Members<M>): string =>
    JSON.stringify(Object.entries(Arr.groupBy(members, laneOf)).flatMap(([lane, own]) => {
      const calibrations = own.flatMap(({ planned }) => planned.calibration ?? [])
      return Arr.isReadonlyArrayNonEmpty(calibrations)
        ? [numbersRow(lane, calibrations, known.get(nameOf(accountId, lane)) ?? 0)]
        : []
    }))

  const call = Effect.fnUntraced(function*<M extends PlannedMember>(
    accountId: AccountId,
    members: Members<M>
  ): Effect.fn.Return<GroupAnswer | null, SqlError.SqlError | Schema.SchemaError, SqlClient.SqlClient> {
    const sql = yield* SqlClient.SqlClient
    const claims = yield* Effect.forEach(members, claimRow)
    const reports = members.map(reportRow)
    const lanes = Object.entries(Arr.groupBy(members, laneOf)).map(([name, own]) =>
      ({ name, writes: own.reduce((sum, { planned }) => sum + planned.writes.versions, 0) }))
    const [row] = yield* sql<{ readonly settled: GroupAnswer }>`select settle_feedbacks(${accountId},
      ${wellFormedJson(claims)}::text::json,
      ${reports.map(({ created_at }) => created_at.toISOString())}::timestamptz[],
      ${wellFormedJson(reports)}::text::json, ${JSON.stringify(lanes)}::text::json,
      ${rowsOf(members, ({ writes }) => writes.outcome)}::text::json,
      ${rowsOf(members, ({ writes }) => writes.votes)}::text::json,
      ${rowsOf(members, ({ writes }) => writes.lesson)}::text::json,
      ${numbersOf(accountId, members)}::text::json) as settled`
    return row?.settled ?? null
  })

  /** Tells this process of what was written, and yields the answers. */
  const answers = Effect.fnUntraced(function*<M extends PlannedMember>(
    accountId: AccountId,
    members: Members<M>,
    settled: Extract<GroupAnswer, { readonly unsettled?: undefined }>
  ) {
    const numbers = new Map(settled.numbers.map(({ lane, ...each }) => [lane, each]))
    for (const [lane, { outcomes }] of numbers) remember(accountId, lane, outcomes)
    const taught = new Map(settled.taught.map((each) => [each.position, each]))
    const voted = new Map(settled.voted.map((each) => [each.position, each]))
    const responses = new Map<M, FeedbackResponse>()
    for (const [position, member] of members.entries()) {
      const { calibration, response, writes } = member.planned
      const own = taught.get(position)
      const votes = voted.get(position)
      const isReflectionDue = own?.isDue ?? false
      yield* writes.committed({ version: settled.lanes[writes.lane] ?? 0, isReflectionDue })
      const lane = numbers.get(writes.lane)
      if (calibration !== null && lane !== undefined) yield* calibration.remember(lane)
      responses.set(member, {
        ...response,
        recordId: own?.recordId ?? null,
        reflectionTriggered: isReflectionDue,
        reinforcedEntryIds: votes?.entryIds ?? response.reinforcedEntryIds,
        updatedConfidence: votes?.updatedConfidence ?? response.updatedConfidence
      })
    }
    return responses
  })

  return Effect.fnUntraced(function*<M extends PlannedMember>(
    accountId: AccountId,
    members: Members<M>
  ): Effect.fn.Return<
    ReadonlyMap<M, FeedbackResponse>,
    SqlError.SqlError | Schema.SchemaError,
    SqlClient.SqlClient
  > {
    // In one order, so that two groups cannot wait for each other's decisions.
    let left = members.toSorted((one, other) =>
      one.claim.about.recommendationId < other.claim.about.recommendationId ? -1 : 1)
    for (let attempt = 0; attempt < attemptsMax && left.length > 0; attempt++) {
      const settled = yield* call(accountId, left)
      if (settled === null) break
      if (settled.unsettled === undefined) return yield* answers(accountId, left, settled)
      const { decisions = [], keys = [], numbers, outcomes } = settled.unsettled
      if (outcomes === true) break
      for (const [lane, count] of Object.entries(numbers ?? {})) remember(accountId, lane, count)
      const refused = new Set([...decisions, ...keys])
      left = left.filter(({ claim }) =>
        !refused.has(claim.about.recommendationId) && !refused.has(claim.idempotencyKey.toWellFormed()))
    }
    return new Map()
  })
}
