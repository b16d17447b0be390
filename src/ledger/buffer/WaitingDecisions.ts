/* Writes the decisions that wait in memory, batch by batch. */
import { Effect, Exit } from "effect"
import { deadline } from "../../resilience/Deadline.ts"
import { gauged, measure, meters } from "../../telemetry/Metrics.ts"
import { type BudgetExhausted, Ledger, LedgerUnavailable } from "../Ledger.ts"
import { bufferSettings } from "./BufferSettings.ts"
import { type Decisions, makeDecisionBuffer } from "./DecisionBuffer.ts"

const { attemptMs, batchRows, decisionsMax } = bufferSettings

export const late = (budgetMs: number) => () => LedgerUnavailable.timedOut(budgetMs)

export type RecordFailure = BudgetExhausted | LedgerUnavailable

/** Returns true if the ledger, or the account's budget, refused the decisions for good. */
export const isRefusal = (failure: RecordFailure): boolean =>
  failure._tag === "BudgetExhausted" || failure.reason._tag === "Rejected"

/** Returns true if the ledger refused the decisions themselves, so that they must not be written again. */
export const refusesThis = (exit: Exit.Exit<void, RecordFailure>): boolean =>
  Exit.isFailure(exit)
  && exit.cause.reasons.some((reason) => reason._tag === "Fail" && isRefusal(reason.error))

/** Returns true if the decisions may be the cause of the failure, unlike an outage or a time limit. */
const mayBlame = (exit: Exit.Failure<void, LedgerUnavailable>): boolean =>
  exit.cause.reasons.every((reason) =>
    reason._tag === "Die" || (reason._tag === "Fail" && reason.error.reason._tag === "Unclassified"))

export const makeWaiting = Effect.gen(function*() {
  const ledger = yield* Ledger
  const memory = makeDecisionBuffer(decisionsMax)
  yield* gauged(meters.backlogWaiting({}), memory.size)
  // The counter starts at 0, because monitoring cannot see an increase from nothing.
  yield* measure((add) => add(meters.backlogDropped({}), 0))
  let dropped = 0
  const lose = Effect.suspend(() => {
    dropped++
    return measure((add) => add(meters.backlogDropped({}), 1))
  })

  const write = (decisions: Decisions) =>
    ledger.record(decisions).pipe(
      deadline(attemptMs, late(attemptMs)),
      Effect.andThen(Effect.sync(() => memory.remove(decisions)))
    )

  /**
   * Writes the decisions that the ledger accepts, and drops the refused ones. Returns false if a decision of
   * the batch was neither written nor refused. A decision that may itself be the cause of a failure moves
   * behind its account's other decisions.
   */
  const writeBatch = Effect.fnUntraced(function*(batch: Decisions): Effect.fn.Return<boolean> {
    const written = yield* Effect.exit(write(batch))
    if (Exit.isSuccess(written)) return true
    const isRefused = refusesThis(written)
    if (!isRefused && !mayBlame(written)) return false
    if (batch.length > 1) {
      for (const decision of batch) if (!(yield* writeBatch([decision]))) return false
      return true
    }
    if (!isRefused) {
      memory.postpone(batch[0])
      return false
    }
    memory.remove(batch)
    yield* lose
    return true
  })

  return {
    find: memory.find,
    count: memory.size,
    write,
    /** Writes all waiting decisions, and runs `wrote` after each batch; returns false if a batch fails. */
    writeWaiting: Effect.fnUntraced(function*(wrote: () => void) {
      for (;;) {
        const batch = memory.oldest(batchRows)
        if (batch !== null && !(yield* writeBatch(batch))) return false
        wrote()
        if (batch === null) return true
      }
    }),
    droppedSinceSaid: () => {
      const unsaid = dropped
      dropped = 0
      return unsaid
    },
    keep: (decisions: Decisions) =>
      Effect.forEach(decisions, (decision) => memory.add(decision) ? Effect.void : lose, { discard: true })
  }
})

export type Waiting = Effect.Success<typeof makeWaiting>
