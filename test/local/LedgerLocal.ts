/* The ledger in the process, for tests. */
import { Effect, Layer, Semaphore } from "effect"
import type { Decision, LedgerRow } from "../../src/domain/Decision.ts"
import type { FeedbackResponse } from "../../src/domain/feedback/Feedback.ts"
import { reconciliationOf, type ReportedOutcome } from "../../src/domain/feedback/FeedbackPrecedence.ts"
import type { AccountId } from "../../src/domain/Scope.ts"
import { keyAfter } from "../../src/domain/TaskKey.ts"
import type { MemoryWrite } from "../../src/domain/MemoryWrite.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import type { ReportKey, PlannedCalibration, RepeatedReport, ReportSubmission } from "../../src/ledger/ReportSubmission.ts"
import type { LedgerWithRows } from "../reports/reference/LedgerRows.ts"
import * as LaneNumbers from "../../src/stats/LaneNumbers.ts"

/** A decision and its reported outcomes. Mutable. */
interface LocalDecision {
  decision: Decision
  outcomes: ReadonlyArray<ReportedOutcome>
}

/** The fields of a decision that reports read. */
const lean = (
  { accountId: _account, forecasts: _forecasts, neighbours: _neighbours, taskExcerpt: _excerpt,
    taskVectors: _vectors, costMarginUsd: _margin, ...decision }: Decision
):
  LedgerRow["decision"] => decision

/** The applied keys, and the numbers of lanes. */
const makeSettled = () => {
  const applied = new Map<string, { readonly fingerprint: string; readonly response: FeedbackResponse }>()
  const numbers = new Map<string, LaneNumbers.LaneNumbers>()
  const keyOf = ({ accountId, idempotencyKey }: ReportKey) => JSON.stringify([accountId, idempotencyKey])
  return {
    answered: (key: ReportKey): RepeatedReport | null => {
      const earlier = applied.get(keyOf(key))
      return earlier === undefined ? null : {
        response: earlier.response,
        reception: earlier.fingerprint === key.fingerprint ? "same" : "other"
      }
    },
    take: (key: ReportKey, response: FeedbackResponse) =>
      void applied.set(keyOf(key), { fingerprint: key.fingerprint, response }),
    /** Moves the numbers of the report's lane. */
    calibrate: (accountId: AccountId, { lane, replaced, rule, start, trial }: PlannedCalibration) => {
      const key = JSON.stringify([accountId, lane])
      const now = numbers.get(key)
      const next = now === undefined || replaced === null
        ? LaneNumbers.observe(now ?? start, trial, rule)
        : LaneNumbers.replace(now, replaced, trial, rule)
      numbers.set(key, next)
      return next
    }
  }
}

/** Takes a report's writes for a memory elsewhere, and the function that gives the log a later answer. */
export type Leave = (
  accountId: AccountId,
  revision: number,
  writes: ReadonlyArray<MemoryWrite>,
  answered: (response: FeedbackResponse, atMs: number) => void
) => Effect.Effect<void>

const make = (leave: Leave) =>
  Effect.sync(() => {
    const kept = new Map<string, LocalDecision>()
    const { answered, calibrate, take } = makeSettled()
    const inTurn = Semaphore.makeUnsafe(1)
    let revision = 0

    const decisionOf = (accountId: string, recommendationId: string): LocalDecision | null => {
      const found = kept.get(recommendationId)
      return found?.decision.accountId === accountId ? found : null
    }
    const record = (decisions: ReadonlyArray<Decision>) =>
      Effect.sync(() => {
        for (const decision of decisions) {
          const { recommendationId } = decision
          if (!kept.has(recommendationId)) kept.set(recommendationId, { decision, outcomes: [] })
        }
      })
    const applyReport = Effect.fnUntraced(function*({ key, decision, plan, store, taskKey }: ReportSubmission) {
      const { accountId } = key
      const earlier = answered(key)
      if (earlier !== null) return earlier
      const found = decisionOf(accountId, decision.recommendationId)
      if (found === null) return null
      const own = ++revision
      const planned = plan({ outcomes: found.outcomes, taskKey: found.decision.taskKey, revision: own })
      const { isElsewhere, onDurable, written } = yield* Effect.mapError(
        store(accountId, planned.writes), ({ reason }) => new LedgerUnavailable({ reason })
      )
      found.outcomes = planned.outcomes
      found.decision = { ...found.decision, taskKey: keyAfter(found.decision.taskKey, taskKey) }
      const response = planned.answer(written)
      take(key, response)
      if (isElsewhere) yield* leave(accountId, own, planned.writes, (later) => take(key, later))
      yield* onDurable
      const { calibration } = planned
      if (calibration !== null) yield* calibration.remember(calibrate(accountId, calibration))
      return { reception: "first" as const, response, revision: own, plan: planned, isElsewhere }
    })

    const ledger: LedgerWithRows = {
      record,
      // Budgets are the database's.
      recordWithin: record,
      find: (accountId, recommendationId) =>
        Effect.sync(() => {
          const found = decisionOf(accountId, recommendationId)
          if (found === null) return null
          const { decision, outcomes } = found
          return { decision, outcomes }
        }),
      applyReport: (submission) => Effect.uninterruptible(inTurn.withPermit(applyReport(submission))),
      rows: ({ accountId, lane, since }) =>
        Effect.sync(() =>
          [...kept.values()]
            .filter(({ decision }) =>
              decision.accountId === accountId && (lane === null || decision.lane === lane) &&
              decision.createdAt >= since
            )
            .sort((a, b) => a.decision.createdAt.getTime() - b.decision.createdAt.getTime())
            .map(({ decision, outcomes }) =>
              ({ decision: lean(decision), feedback: reconciliationOf(outcomes), outcomes }))
        )
    }
    return ledger
  })

/** {@link layer} which leaves the writes that a memory elsewhere lacks to that function. */
export const layerWith = (leave: Leave): Layer.Layer<Ledger> => Layer.effect(Ledger, make(leave))

/** In-process ledger for tests and trials; it ends with the process. */
export const layer: Layer.Layer<Ledger> = layerWith(() => Effect.void)
