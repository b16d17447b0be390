import { Effect, Layer, Semaphore } from "effect"
import type { Decision, LedgerRow, Reconciliation } from "../domain/Decision.ts"
import type { FeedbackResponse } from "../domain/Feedback.ts"
import { Ledger, type Settled } from "./Ledger.ts"
import { reconciled } from "./Reconcile.ts"
import { onUndo, Undo } from "./Undo.ts"

interface Kept {
  readonly decision: Decision
  feedback: Reconciliation | null
}

const lean = (
  { accountId: _account, forecasts: _forecasts, neighbours: _neighbours, taskExcerpt: _excerpt, ...decision }:
    Decision
):
  LedgerRow["decision"] => decision

const make = Effect.gen(function*() {
  const kept = new Map<string, Kept>()
  const settled = new Map<string, { readonly fingerprint: string; readonly response: FeedbackResponse }>()
  const turn = yield* Semaphore.make(1)

  const own = (accountId: string, recommendationId: string): Kept | null => {
    const found = kept.get(recommendationId)
    return found?.decision.accountId === accountId ? found : null
  }

  return Ledger.of({
    record: (decisions) =>
      Effect.sync(() => {
        for (const decision of decisions) {
          const { recommendationId } = decision
          if (!kept.has(recommendationId)) kept.set(recommendationId, { decision, feedback: null })
        }
      }),
    find: (accountId, recommendationId) =>
      Effect.sync(() => own(accountId, recommendationId)?.decision ?? null),
    settle: (claim, work) =>
      turn.withPermit(Effect.gen(function*() {
        const key = JSON.stringify([claim.accountId, claim.idempotencyKey])
        const earlier = settled.get(key)
        if (earlier !== undefined) {
          const answer: Settled = {
            response: earlier.response,
            claim: earlier.fingerprint === claim.fingerprint ? "same" : "other"
          }
          return answer
        }
        const undo: Array<() => void> = []
        const response = yield* work.pipe(
          Effect.provideService(Undo, undo),
          Effect.onError(() => Effect.sync(() => undo.reverse().forEach((step) => step())))
        )
        settled.set(key, { fingerprint: claim.fingerprint, response })
        const answer: Settled = { response, claim: "first" }
        return answer
      })),
    reconcile: (accountId, recommendationId, reconciliation) =>
      Effect.suspend(() => {
        const found = own(accountId, recommendationId)
        if (found === null) return Effect.void
        const before = found.feedback
        found.feedback = reconciled(before, reconciliation)
        return onUndo(() => {
          found.feedback = before
        })
      }),
    window: ({ accountId, lane, since }) =>
      Effect.sync(() =>
        [...kept.values()]
          .filter(({ decision }) =>
            decision.accountId === accountId && (lane === null || decision.lane === lane) &&
            decision.createdAt >= since
          )
          .sort((a, b) => a.decision.createdAt.getTime() - b.decision.createdAt.getTime())
          .map(({ decision, feedback }): LedgerRow => ({ decision: lean(decision), feedback }))
      )
  })
})

/** In-process ledger for tests and trials; it ends with the process, and settles one claim at a time. */
export const layer: Layer.Layer<Ledger> = Layer.effect(Ledger, make)
