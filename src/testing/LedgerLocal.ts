/* The ledger in the process, for tests. */
import { type Context, Effect, Layer, Semaphore } from "effect"
import type { Decision, LedgerRow } from "../domain/Decision.ts"
import type { FeedbackResponse } from "../domain/Feedback.ts"
import {
  foreseenRevision, reconciliationOf, reported, revisionAbove, type ReportedOutcome
} from "../domain/ReportPrecedence.ts"
import { type Claim, Ledger, type SettledFeedback } from "../ledger/Ledger.ts"
import { onRollback, LocalRollback } from "./LocalRollback.ts"

type LedgerMethods = Context.Service.Shape<typeof Ledger>

/** A decision and its reported outcomes. Mutable. */
interface LocalDecision {
  readonly decision: Decision
  outcomes: ReadonlyArray<ReportedOutcome>
}

/** What reports read of a decision. */
const lean = (
  { accountId: _account, forecasts: _forecasts, neighbours: _neighbours, taskExcerpt: _excerpt,
    taskVectors: _vectors, costMarginUsd: _margin, ...decision }: Decision
):
  LedgerRow["decision"] => decision

/** The decisions of all accounts, with their reported outcomes. */
const makeDecisions = () => {
  const kept = new Map<string, LocalDecision>()
  let revision = 0

  const own = (accountId: string, recommendationId: string): LocalDecision | null => {
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

  const methods: Pick<
    LedgerMethods, "record" | "recordWithin" | "find" | "reconcile" | "reportedOutcomes"
  > = {
    record,
    // Budgets are the database's.
    recordWithin: record,
    find: (accountId, recommendationId) =>
      Effect.sync(() => own(accountId, recommendationId)?.decision ?? null),
    reconcile: (accountId, recommendationId, report, rule) =>
      Effect.suspend(() => {
        const found = own(accountId, recommendationId)
        if (found === null) return Effect.succeed(null)
        const before = found.outcomes
        const { outcomes, ...counted } = reported(
          before, report, foreseenRevision(before, report, rule) ?? revisionAbove(before, ++revision), rule
        )
        found.outcomes = outcomes
        return Effect.as(onRollback(() => {
          found.outcomes = before
        }), counted)
      }),
    reportedOutcomes: (accountId, recommendationId) =>
      Effect.sync(() => {
        const found = own(accountId, recommendationId)
        return found === null ? null : {
          outcomes: found.outcomes, revision: revisionAbove(found.outcomes, ++revision)
        }
      })
  }
  return { ...methods, all: () => [...kept.values()] }
}

/** The settled claims; one settlement runs at a time. */
const makeSettlements = Effect.gen(function*() {
  const settled = new Map<string, { readonly fingerprint: string; readonly response: FeedbackResponse }>()
  const turn = yield* Semaphore.make(1)
  const keyOf = ({ accountId, idempotencyKey }: Claim) => JSON.stringify([accountId, idempotencyKey])

  const answered = (claim: Claim): SettledFeedback | null => {
    const earlier = settled.get(keyOf(claim))
    return earlier === undefined ? null : {
      response: earlier.response,
      claim: earlier.fingerprint === claim.fingerprint ? "same" : "other"
    }
  }

  const methods: Pick<LedgerMethods, "settle" | "answered"> = {
    settle: (claim, work) =>
      turn.withPermit(Effect.gen(function*() {
        const earlier = answered(claim)
        if (earlier !== null) return earlier
        const undo: Array<() => void> = []
        const response = yield* work.pipe(
          Effect.provideService(LocalRollback, undo),
          Effect.onError(() => Effect.sync(() => undo.reverse().forEach((step) => step())))
        )
        settled.set(keyOf(claim), { fingerprint: claim.fingerprint, response })
        const answer: SettledFeedback = { response, claim: "first" }
        return answer
      })),
    answered: (claim) => Effect.sync(() => answered(claim))
  }
  return methods
})

const make = Effect.gen(function*() {
  const { all, ...decisions } = makeDecisions()
  return Ledger.of({
    ...decisions,
    ...yield* makeSettlements,
    window: ({ accountId, lane, since }) =>
      Effect.sync(() =>
        all()
          .filter(({ decision }) =>
            decision.accountId === accountId && (lane === null || decision.lane === lane) &&
            decision.createdAt >= since
          )
          .sort((a, b) => a.decision.createdAt.getTime() - b.decision.createdAt.getTime())
          .map(({ decision, outcomes }): LedgerRow =>
            ({ decision: lean(decision), feedback: reconciliationOf(outcomes) }))
      )
  })
})

/** In-process ledger for tests and trials. It ends with the process, and settles one claim at a time. */
export const layer: Layer.Layer<Ledger> = Layer.effect(Ledger, make)
