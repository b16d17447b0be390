/* Decisions that wait to be written, in memory and in the spool, and how they are written. */
import { Array as Arr, Effect, Exit, Stream } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { gauged, measure, meters } from "../../telemetry/Metrics.ts"
import { type BudgetExhausted, Ledger, LedgerUnavailable } from "../Ledger.ts"
import { bufferSettings } from "./BufferSettings.ts"
import { type Decisions, makeDecisionBuffer } from "./DecisionBuffer.ts"
import { Spool } from "./Spool.ts"

const { attemptMs, batchRows, decisionsMax } = bufferSettings

/** The failure of a ledger that did not answer within the budget. */
export const late = (budgetMs: number) => () => LedgerUnavailable.timedOut(budgetMs)

/** Whether the values cannot be written, now or later, or the account's budget does not allow them. */
export const isRefusal = (failure: BudgetExhausted | LedgerUnavailable): boolean =>
  failure._tag === "BudgetExhausted" || failure.reason._tag === "Rejected"

/** Whether the ledger refused the decisions themselves, so that they must not be written again. */
export const refusesThis = (exit: Exit.Exit<void, BudgetExhausted | LedgerUnavailable>): boolean =>
  Exit.isFailure(exit)
  && exit.cause.reasons.some((reason) => reason._tag === "Fail" && isRefusal(reason.error))

/** Whether a write failed in a way that may lie in its decisions: not for an outage, a limit or a lock. */
const mayBlame = (exit: Exit.Failure<void, LedgerUnavailable>): boolean =>
  exit.cause.reasons.every((reason) =>
    reason._tag === "Die" || (reason._tag === "Fail" && reason.error.reason._tag === "Unclassified"))

/** The key of a decision, unique over all accounts. */
export const keyOf = ({ accountId, recommendationId }: Pick<Decision, "accountId" | "recommendationId">) =>
  `${accountId} ${recommendationId}`

const inBatches = (decisions: ReadonlyArray<Decision>, rows: number = batchRows): ReadonlyArray<Decisions> =>
  Arr.isReadonlyArrayNonEmpty(decisions) ? Arr.chunksOf(decisions, rows) : []

/** Counts lost decisions, in the metric and for the next line of the log. */
const makeLosses = Effect.gen(function*() {
  // The counter exists from the start: monitoring cannot see an increase of a counter that did not exist.
  yield* measure((add) => add(meters.backlogDropped({}), 0))
  let unsaid = 0
  return {
    lose: (count: number) => {
      unsaid += count
      return count === 0 ? Effect.void : measure((add) => add(meters.backlogDropped({}), count))
    },
    /** Decisions lost since the last call, count. */
    droppedSinceSaid: () => {
      const dropped = unsaid
      unsaid = 0
      return dropped
    }
  }
})

/** Where decisions wait: in memory, in this process's spool files, or in both. Mutable. */
const makePlaces = () => {
  const memory = makeDecisionBuffer(decisionsMax)
  /** Decisions in the spool, and those of them that no longer fit into memory. */
  const onDisk = new Set<string>()
  const spilled = new Set<string>()
  return {
    memory,
    onDisk,
    spilled,
    /** Adds decisions to memory; yields how many left it for them without being on disk. */
    add: (decisions: ReadonlyArray<Decision>) => {
      const dropped = decisions.map(memory.add).filter((each) => each !== null).map(keyOf)
      const kept = dropped.filter((key) => onDisk.has(key))
      for (const key of kept) spilled.add(key)
      return dropped.length - kept.length
    },
    count: () => memory.size() + spilled.size,
    /** Decisions that would be lost if the process ended now. */
    onlyInMemory: () => memory.all().filter((each) => !onDisk.has(keyOf(each)))
  }
}
type Places = ReturnType<typeof makePlaces>

/** The writes of decisions from memory and from the spool; `lose` counts those that are lost. */
const makeWrites = Effect.fnUntraced(function*(
  { memory }: Places,
  lose: (count: number) => Effect.Effect<void>
) {
  const ledger = yield* Ledger
  const spool = yield* Spool
  let isUnsure = false

  /** One attempt. */
  const write = (decisions: Decisions) =>
    ledger.record(decisions).pipe(
      deadline(attemptMs, late(attemptMs)),
      Effect.andThen(Effect.sync(() => memory.remove(decisions)))
    )

  /**
   * Writes what the ledger takes and drops what it refuses; false if it became unreachable. It is false also
   * at a decision that the ledger fails on, which is then behind its account's others.
   */
  const writeAll = Effect.fnUntraced(function*(batches: ReadonlyArray<Decisions>): Effect.fn.Return<boolean> {
    for (const batch of batches) {
      const written = yield* Effect.exit(write(batch))
      if (Exit.isSuccess(written)) continue
      const isRefused = refusesThis(written)
      if (!isRefused && !mayBlame(written)) return false
      if (batch.length > 1 && !(yield* writeAll(inBatches(batch, 1)))) return false
      if (batch.length > 1) continue
      if (!isRefused) {
        memory.postpone(batch[0])
        return false
      }
      memory.remove(batch)
      yield* lose(1)
    }
    return true
  })

  return {
    write,
    /** Whether nothing was written because the marks of erased accounts could not be read. */
    isUnsure: () => isUnsure,
    /**
     * Writes decisions but those of erased accounts; false if the ledger becomes unreachable, or while the
     * erased accounts are unknown.
     */
    writeKept: Effect.fnUntraced(function*(decisions: ReadonlyArray<Decision>) {
      const isErased = yield* Effect.orElseSucceed(spool.isErased, () => null)
      isUnsure = isErased === null
      if (isErased === null) return false
      memory.remove(decisions.filter(isErased))
      return yield* writeAll(inBatches(decisions.filter((each) => !isErased(each))))
    })
  }
})
type Writes = Effect.Success<ReturnType<typeof makeWrites>>

/** Writes all that waits, as often as it is run. */
const makeDraining = (
  { count, memory, onDisk, spilled }: Places,
  spool: typeof Spool.Service,
  { isUnsure, writeKept }: Writes,
  lose: (count: number) => Effect.Effect<void>
) => {
  /** Writes the decisions that are only on disk by now; false as {@link Writes.writeKept}. */
  const writeSpilled = Effect.gen(function*() {
    const unread = new Set(spilled)
    if (unread.size === 0) return true
    let isWritten = true
    yield* Stream.runForEachWhile(spool.all, Effect.fnUntraced(function*(decisions) {
      const found = decisions.filter((each) => unread.has(keyOf(each)))
      isWritten = yield* writeKept(found)
      for (const key of isWritten ? found.map(keyOf) : []) {
        unread.delete(key)
        spilled.delete(key)
      }
      return isWritten
    })).pipe(Effect.catch(({ cause }) =>
      Effect.logError("Decisions on disk cannot be read, and are lost", cause)))
    if (!isWritten) return false
    yield* lose(unread.size)
    for (const key of unread) spilled.delete(key)
    return true
  })

  /** Writes all waiting decisions, and runs `wrote` after each batch; false as {@link Writes.writeKept}. */
  return Effect.fnUntraced(function*(wrote: () => void) {
    let isWritten = true
    while (isWritten) {
      const batch = memory.oldest(batchRows)
      if (batch === null) break
      isWritten = yield* writeKept(batch)
      if (isWritten) wrote()
    }
    isWritten = isWritten && (yield* writeSpilled)
    // Unknown erasures say nothing about the ledger: new decisions may go straight to it.
    if (isWritten || isUnsure()) wrote()
    if (!isWritten) return false
    yield* spool.removeIf(() => count() === 0)
    if (count() === 0) onDisk.clear()
    return true
  })
}

/** Forces waiting decisions to disk, and again those that it did not take. */
const makeSpooling = ({ onDisk, onlyInMemory }: Places, spool: typeof Spool.Service) => {
  let hasMissed = false
  const toDisk = Effect.fnUntraced(function*(decisions: Decisions, isAgain: boolean) {
    const isKept = yield* spool.append(decisions, isAgain)
    if (isKept) for (const decision of decisions) onDisk.add(keyOf(decision))
    else hasMissed = true
    return isKept
  })
  return {
    /** False when the decisions are only in memory. */
    keepOnDisk: (decisions: Decisions) => toDisk(decisions, false),
    /** Once the disk can be written again, it gets what it did not take. */
    keepMissed: Effect.gen(function*() {
      for (const batch of hasMissed ? inBatches(onlyInMemory()) : []) {
        if (!(yield* toDisk(batch, true))) return
      }
      hasMissed = false
    })
  }
}

/** The waiting decisions: where they are kept, and how they are written. */
export const makeWaiting = Effect.gen(function*() {
  const spool = yield* Spool
  const places = makePlaces()
  const { add, count, memory, onDisk, onlyInMemory, spilled } = places
  const { keepMissed, keepOnDisk } = makeSpooling(places, spool)
  yield* gauged(meters.backlogWaiting({}), count)
  const { droppedSinceSaid, lose } = yield* makeLosses
  const writes = yield* makeWrites(places, lose)
  yield* Stream.runForEach(spool.inherited, (decisions) =>
    Effect.suspend(() => {
      for (const each of decisions) onDisk.add(keyOf(each))
      return lose(add(decisions))
    }))
  return {
    memory,
    count,
    ...writes,
    writeWaiting: makeDraining(places, spool, writes, lose),
    isErased: spool.isErased,
    /** Whether a decision is on disk and not in memory: feedback on it has to wait. */
    isSpilled: (key: string) => spilled.has(key),
    droppedSinceSaid,
    onlyInMemory,
    keepMissed,
    /** Keeps decisions, on disk where there is a spool. Runs `wake` when there is something to write. */
    keep: Effect.fnUntraced(function*(decisions: Decisions, wake: Effect.Effect<unknown>) {
      yield* lose(add(decisions))
      yield* wake
      if (!(yield* keepOnDisk(decisions))) return
      // The file exists only now: decisions that were in memory may have been written already.
      yield* wake
    })
  }
})

/** What {@link makeWaiting} yields. */
export type Waiting = Effect.Success<typeof makeWaiting>
