/* Decisions that wait in memory to be written, and how they are written. */
import { Effect, Exit } from "effect"
import { deadline } from "../../resilience/Deadline.ts"
import { gauged, measure, meters } from "../../telemetry/Metrics.ts"
import { type BudgetExhausted, Ledger, LedgerUnavailable } from "../Ledger.ts"
import { bufferSettings } from "./BufferSettings.ts"
import { type Decisions, makeDecisionBuffer } from "./DecisionBuffer.ts"

const { attemptMs, batchRows, decisionsMax } = bufferSettings

/** The failure of a ledger that did not answer in time. */
export const late = (budgetMs: number) => () => LedgerUnavailable.timedOut(budgetMs)

/** Why decisions were not written. */
export type RecordFailure = BudgetExhausted | LedgerUnavailable

/** Whether the values cannot be written, now or later, or the account's budget does not allow them. */
export const isRefusal = (failure: RecordFailure): boolean =>
  failure._tag === "BudgetExhausted" || failure.reason._tag === "Rejected"

/** Whether the ledger refused the decisions themselves, so that they must not be written again. */
export const refusesThis = (exit: Exit.Exit<void, RecordFailure>): boolean =>
  Exit.isFailure(exit)
  && exit.cause.reasons.some((reason) => reason._tag === "Fail" && isRefusal(reason.error))

/** Whether a write failed in a way that may lie in its decisions: not for an outage, a limit or a lock. */
const mayBlame = (exit: Exit.Failure<void, LedgerUnavailable>): boolean =>
  exit.cause.reasons.every((reason) =>
    reason._tag === "Die" || (reason._tag === "Fail" && reason.error.reason._tag === "Unclassified"))

/** Keeps the waiting decisions and writes them. */
export const makeWaiting = Effect.gen(function*() {
  const ledger = yield* Ledger
  const memory = makeDecisionBuffer(decisionsMax)
  yield* gauged(meters.backlogWaiting({}), memory.size)
  // The counter exists from the start: monitoring cannot see an increase of a counter that did not exist.
  yield* measure((add) => add(meters.backlogDropped({}), 0))
  let dropped = 0
  const lose = Effect.suspend(() => {
    dropped++
    return measure((add) => add(meters.backlogDropped({}), 1))
  })

  /** One attempt. */
  const write = (decisions: Decisions) =>
    ledger.record(decisions).pipe(
      deadline(attemptMs, late(attemptMs)),
      Effect.andThen(Effect.sync(() => memory.remove(decisions)))
    )

  /**
   * Writes the decisions that the ledger takes and drops the refused ones. False if the ledger became
   * unreachable, or failed on a decision, which then waits behind its account's others.
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
    /** Writes all that waits, and runs `wrote` after each batch; false if the ledger does not take one. */
    writeWaiting: Effect.fnUntraced(function*(wrote: () => void) {
      for (;;) {
        const batch = memory.oldest(batchRows)
        if (batch !== null && !(yield* writeBatch(batch))) return false
        wrote()
        if (batch === null) return true
      }
    }),
    /** Decisions lost since the last call, count. */
    droppedSinceSaid: () => {
      const unsaid = dropped
      dropped = 0
      return unsaid
    },
    keep: (decisions: Decisions) =>
      Effect.forEach(decisions, (decision) => memory.add(decision) ? Effect.void : lose, { discard: true })
  }
})

/** The result of {@link makeWaiting}. */
export type Waiting = Effect.Success<typeof makeWaiting>
