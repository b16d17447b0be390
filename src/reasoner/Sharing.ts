/** Shares calls to the reasoner between identical questions of one account, and limits their number. */
import { Effect, Fiber } from "effect"
import type { AccountId } from "../domain/Scope.ts"
import * as Reason from "../resilience/FailureReason.ts"
import { type Consulted, ReasonerFailed } from "./Reasoner.ts"

export interface Sharing {
  /**
   * Runs the call, or fails if too many are in progress. If the account has an identical question in
   * progress, the caller waits for that call instead. A call runs to its end even if its callers have left.
   */
  readonly share: <A>(
    accountId: AccountId,
    question: string,
    call: Effect.Effect<Consulted<A>, ReasonerFailed>
  ) => Effect.Effect<Consulted<A>, ReasonerFailed>
}

/** Accounts share no calls of the reasoner, because a fast answer would reveal others' questions. */
export const makeSharing = (questionsMax: number, questionsPerAccountMax: number): Sharing => {
  /** Calls in progress, by account and question. Equal questions have the same type of answer. */
  const running = new Map<AccountId, Map<string, Fiber.Fiber<Consulted<unknown>, ReasonerFailed>>>()
  let count = 0

  const forget = (accountId: AccountId, question: string): void => {
    const own = running.get(accountId)
    if (own?.delete(question) === true) count--
    if (own?.size === 0) running.delete(accountId)
  }

  return {
    share: <A>(accountId: AccountId, question: string, call: Effect.Effect<Consulted<A>, ReasonerFailed>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const own = running.get(accountId) ?? new Map()
          const known: Fiber.Fiber<Consulted<A>, ReasonerFailed> | undefined = own.get(question)
          if (known !== undefined) {
            return yield* restore(Fiber.join(known)).pipe(
              Effect.map(({ answer }): Consulted<A> => ({ answer, costUsd: 0 })),
              Effect.mapError(({ costUsd, reason }) =>
                new ReasonerFailed({ reason, costUsd: costUsd === null ? null : 0 }))
            )
          }
          if (count >= questionsMax || own.size >= questionsPerAccountMax) {
            return yield* new ReasonerFailed({
              reason: new Reason.NotSent({ cause: "too many questions are in progress" })
            })
          }
          const fiber = yield* Effect.forkDetach(
            restore(call).pipe(Effect.ensuring(Effect.sync(() => forget(accountId, question))))
          )
          count++
          running.set(accountId, own.set(question, fiber))
          return yield* restore(Fiber.join(fiber))
        })
      )
  }
}
