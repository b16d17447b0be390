/* Writes buffered decisions into a ledger that may still be unreachable. */
import { Array as Arr, type Context, Effect, Exit } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { type BudgetExhausted, type Ledger, LedgerUnavailable } from "../Ledger.ts"
import { bufferSettings } from "./BufferSettings.ts"
import type { Decisions } from "./DecisionBuffer.ts"

const { attemptMs, batchRows } = bufferSettings

/** The failure of a ledger that did not answer within the budget. */
export const late = (budgetMs: number) => () => LedgerUnavailable.timedOut(budgetMs)

/** Whether the values cannot be written, now or later, or the account's budget does not allow them. */
export const isRefusal = (failure: BudgetExhausted | LedgerUnavailable): boolean =>
  failure._tag === "BudgetExhausted" || failure.reason._tag === "Rejected"

/** Whether the ledger refused the decisions themselves, so that they must not be written again. */
export const refusesThis = (exit: Exit.Exit<void, BudgetExhausted | LedgerUnavailable>): boolean =>
  Exit.isFailure(exit)
  && exit.cause.reasons.some((reason) => reason._tag === "Fail" && isRefusal(reason.error))

export interface BufferWrites {
  /** One attempt. */
  readonly write: (decisions: Decisions) => Effect.Effect<void, LedgerUnavailable>
  /**
   * Writes the decisions that the ledger takes and drops those that it refuses; false if it became
   * unreachable.
   */
  readonly writeAll: (decisions: ReadonlyArray<Decision>) => Effect.Effect<boolean>
}

/** `done` is called with every decision that was written or refused; `lose` with every refused one. */
export const makeBufferWrites = (
  ledger: Context.Service.Shape<typeof Ledger>,
  done: (decisions: ReadonlyArray<Decision>) => void,
  lose: (decision: Decision) => Effect.Effect<void>
): BufferWrites => {
  const write = (decisions: Decisions) =>
    ledger.record(decisions).pipe(
      deadline(attemptMs, late(attemptMs)),
      Effect.andThen(Effect.sync(() => done(decisions)))
    )

  /** Writes one decision after the other; false if the ledger became unreachable. */
  const writeEach = Effect.fnUntraced(function*(decisions: Decisions) {
    for (const decision of decisions) {
      const written = yield* Effect.exit(write([decision]))
      if (Exit.isSuccess(written)) continue
      if (!refusesThis(written)) return false
      done([decision])
      yield* lose(decision)
    }
    return true
  })

  const writeAll = Effect.fnUntraced(function*(decisions: ReadonlyArray<Decision>) {
    for (const batch of Arr.isReadonlyArrayNonEmpty(decisions) ? Arr.chunksOf(decisions, batchRows) : []) {
      const written = yield* Effect.exit(write(batch))
      if (Exit.isSuccess(written)) continue
      if (!refusesThis(written) || !(yield* writeEach(batch))) return false
    }
    return true
  })
  return { write, writeAll }
}
