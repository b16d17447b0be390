/* The ledger in the process, for tests. */
import { Effect, Layer } from "effect"
import type { Decision, LedgerRow } from "../../src/domain/Decision.ts"
import type { FeedbackResponse } from "../../src/domain/Feedback.ts"
import { reconciliationOf, revisionAbove, type ReportedOutcome } from "../../src/domain/FeedbackPrecedence.ts"
import type { AccountId } from "../../src/domain/Scope.ts"
import { keyAfter } from "../../src/domain/TaskKey.ts"
import { nothingWritten, type WriteRows } from "../../src/domain/WriteRows.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { basisOf, type Claim, type DecisionOutcomes, type SettledFeedback, type Settlement } from "../../src/ledger/Settlement.ts"
import type { LedgerWithRows } from "../reports/reference/LedgerRows.ts"
import * as LaneNumbers from "../../src/stats/LaneNumbers.ts"

/** Takes a row of the outbox. */
type Enqueue = (accountId: AccountId, row: WriteRows["outbox"][number]) => void

/** A decision and its reported outcomes. Mutable. */
interface LocalDecision {
  decision: Decision
  outcomes: ReadonlyArray<ReportedOutcome>
}

/** What reports read of a decision. */
const lean = (
  { accountId: _account, forecasts: _forecasts, neighbours: _neighbours, taskExcerpt: _excerpt,
    taskVectors: _vectors, costMarginUsd: _margin, ...decision }: Decision
):
  LedgerRow["decision"] => decision

/** The highest revision of a plan's reports, as `settle_feedbacks` compares it; null without a decision. */
const basisOrNull = (outcomes: ReadonlyArray<ReportedOutcome> | null): number | null =>
  outcomes === null ? null : basisOf(outcomes)

/** The settled claims, and the numbers of lanes. */
const makeSettled = () => {
  const settled = new Map<string, { readonly fingerprint: string; readonly response: FeedbackResponse }>()
  const numbers = new Map<string, LaneNumbers.LaneNumbers>()
  const keyOf = ({ accountId, idempotencyKey }: Claim) => JSON.stringify([accountId, idempotencyKey])
  return {
    answered: (claim: Claim): SettledFeedback | null => {
      const earlier = settled.get(keyOf(claim))
      return earlier === undefined ? null : {
        response: earlier.response,
        claim: earlier.fingerprint === claim.fingerprint ? "same" : "other"
      }
    },
    take: ({ claim, response }: Settlement) =>
      void settled.set(keyOf(claim), { fingerprint: claim.fingerprint, response }),
    /** Moves the numbers of the settlement's lane; null where they stay. */
    calibrate: ({ calibration, claim: { accountId } }: Settlement): LaneNumbers.LaneNumbers | null => {
      if (calibration === null) return null
      const { lane, replaced, rule, start, trial } = calibration
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

const make = (enqueue: Enqueue) =>
  Effect.sync(() => {
    const kept = new Map<string, LocalDecision>()
    const { answered, calibrate, take } = makeSettled()
    let revision = 0

    const own = (accountId: string, recommendationId: string): LocalDecision | null => {
      const found = kept.get(recommendationId)
      return found?.decision.accountId === accountId ? found : null
    }
    const outcomesOf = (accountId: string, recommendationId: string): DecisionOutcomes | null => {
      const found = own(accountId, recommendationId)
      return found === null
        ? null
        : { outcomes: found.outcomes, revision: revisionAbove(found.outcomes, ++revision) }
    }
    const record = (decisions: ReadonlyArray<Decision>) =>
      Effect.sync(() => {
        for (const decision of decisions) {
          const { recommendationId } = decision
          if (!kept.has(recommendationId)) kept.set(recommendationId, { decision, outcomes: [] })
        }
      })

    const ledger: LedgerWithRows = {
      record,
      // Budgets are the database's.
      recordWithin: record,
      find: (accountId, recommendationId, claim) =>
        Effect.sync(() => {
          const found = own(accountId, recommendationId)
          const known = outcomesOf(accountId, recommendationId)
          if (found === null || known === null) return null
          return { decision: found.decision, known, answered: claim === undefined ? null : answered(claim) }
        }),
      settle: Effect.fnUntraced(function*(settlement) {
        const { calibration, claim, claim: { accountId }, decision: { recommendationId }, response, rows } = settlement
        const earlier = answered(claim)
        if (earlier !== null) return earlier
        const found = own(accountId, recommendationId)
        if (basisOrNull(found?.outcomes ?? null) !== basisOrNull(settlement.before)) {
          return { claim: "outdated" as const, known: outcomesOf(accountId, recommendationId) }
        }
        if (found !== null) {
          found.outcomes = settlement.outcomes
          found.decision = { ...found.decision, taskKey: keyAfter(found.decision.taskKey, settlement.taskKey) }
        }
        take(settlement)
        for (const row of rows.outbox) enqueue(accountId, row)
        const moved = calibrate(settlement)
        yield* settlement.onWritten(nothingWritten)
        if (calibration !== null && moved !== null) yield* calibration.remember(moved)
        return { response, claim: "first" as const }
      }),
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

/** {@link layer} whose settlements put the writes that an external memory lacks into that outbox. */
export const layerWith = (enqueue: Enqueue): Layer.Layer<Ledger> => Layer.effect(Ledger, make(enqueue))

/**
 * In-process ledger for tests and trials; it ends with the process. Its memory is external, and has no
 * outbox.
 */
export const layer: Layer.Layer<Ledger> = layerWith(() => {
  throw new Error("This ledger has no outbox")
})
