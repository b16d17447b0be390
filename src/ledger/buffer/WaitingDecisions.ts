/* Decisions that wait to be written, in memory and in the spool, and how they are written. */
import { Array as Arr, Effect } from "effect"
import type { Decision } from "../../domain/Decision.ts"
import { gauged, measure, meters } from "../../telemetry/Metrics.ts"
import { Ledger } from "../Ledger.ts"
import { bufferSettings } from "./BufferSettings.ts"
import { type BufferWrites, makeBufferWrites } from "./BufferWrites.ts"
import { type Decisions, makeDecisionBuffer } from "./DecisionBuffer.ts"
import * as Spool from "./Spool.ts"
import { keyOf } from "./SpoolInheritance.ts"

const { batchRows, decisionsMax } = bufferSettings

/** Where decisions wait: in memory, in this process's spool file, or in both. Mutable. */
const makePlaces = () => {
  /** Decisions in this process's spool file, and those of them that no longer fit into memory. */
  const durable = new Set<string>()
  const spilled = new Set<string>()
  let dropped = 0
  const backlog = makeDecisionBuffer(decisionsMax, (decision) => {
    const key = keyOf(decision)
    if (durable.has(key)) spilled.add(key)
    else dropped++
  })
  return {
    backlog,
    durable,
    spilled,
    /** How many decisions left the memory without being on disk since the last call, count. */
    takeDropped: () => {
      const taken = dropped
      dropped = 0
      return taken
    },
    count: () => backlog.size() + spilled.size,
    isDone: () => backlog.size() === 0 && spilled.size === 0,
    /** Decisions that would be lost if the process ended now. */
    onlyInMemory: () => backlog.all().filter((each) => !durable.has(keyOf(each)))
  }
}
type Places = ReturnType<typeof makePlaces>

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

/**
 * Writes decisions of a spool file except those of erased accounts; false while the erased accounts are
 * unknown.
 */
const makeSpooledWrite = (spool: Spool.Spool, writeAll: BufferWrites["writeAll"]): BufferWrites["writeAll"] =>
  (decisions) =>
    spool.isErased.pipe(
      Effect.flatMap((isErased) => writeAll(decisions.filter((each) => !isErased(each)))),
      Effect.catch(() => Effect.succeed(false))
    )

/** The writes of waiting decisions, from memory and from the spool; `lose` counts those that are lost. */
const makeWaitingWrites = (
  { backlog, durable, isDone, spilled }: Places,
  spool: Spool.Spool,
  writeAll: BufferWrites["writeAll"],
  lose: (count: number) => Effect.Effect<void>
) => {
  const writeSpooled = makeSpooledWrite(spool, writeAll)
  let isUnsure = false

  /** Writes the decisions that are only on disk; false if the ledger becomes unreachable. */
  const writeSpilled = Effect.gen(function*() {
    const before = [...spilled]
    if (before.length === 0) return true
    if (!(yield* spool.writeOut(writeSpooled))) return false
    for (const key of before) spilled.delete(key)
    return true
  }).pipe(Effect.catch(({ cause }) =>
    Effect.gen(function*() {
      yield* Effect.logError("Decisions on disk cannot be read, and are lost", cause)
      yield* lose(spilled.size)
      spilled.clear()
      return true
    })))

  return {
    writeSpooled,
    /** Whether nothing was written because the marks of erased accounts could not be read. */
    isUnsure: () => isUnsure,
    /**
     * Writes all waiting decisions, and runs `wrote` after each batch; false if the ledger becomes
     * unreachable, or while the erased accounts are unknown.
     */
    writeWaiting: Effect.fnUntraced(function*(wrote: () => void) {
      const isErased = yield* Effect.orElseSucceed(spool.isErased, () => null)
      isUnsure = isErased === null
      if (isErased === null) {
        // This says nothing about the ledger: new decisions may go straight to it.
        wrote()
        return false
      }
      for (let batch = backlog.oldest(batchRows); batch !== null; batch = backlog.oldest(batchRows)) {
        const gone = batch.filter(isErased)
        backlog.remove(gone)
        if (!(yield* writeAll(batch.filter((each) => !gone.includes(each))))) return false
        wrote()
      }
      if (!(yield* writeSpilled)) return false
      wrote()
      yield* spool.removeIf(isDone)
      if (isDone()) durable.clear()
      return true
    })
  }
}

/** Forces waiting decisions to disk, and again those that it did not take. */
const makeSpooling = ({ durable, onlyInMemory }: Places, spool: Spool.Spool) => {
  let hasMissed = false
  const toDisk = Effect.fnUntraced(function*(decisions: Decisions, isAgain: boolean) {
    const isKept = yield* spool.append(decisions, isAgain)
    if (isKept) for (const decision of decisions) durable.add(keyOf(decision))
    else hasMissed = true
    return isKept
  })
  return {
    /** False when the decisions are only in memory. */
    keepOnDisk: (decisions: Decisions) => toDisk(decisions, false),
    /** Once the disk can be written again, it gets what it did not take. */
    keepMissed: Effect.gen(function*() {
      const missed = hasMissed ? onlyInMemory() : []
      for (const batch of Arr.isReadonlyArrayNonEmpty(missed) ? Arr.chunksOf(missed, batchRows) : []) {
        if (!(yield* toDisk(batch, true))) return
      }
      hasMissed = false
    })
  }
}

/** The waiting decisions: where they are kept, and how they are written. */
export const makeWaiting = Effect.gen(function*() {
  const ledger = yield* Ledger
  const spool = yield* Spool.Spool
  const places = makePlaces()
  const { backlog, onlyInMemory, spilled, takeDropped } = places
  const { keepMissed, keepOnDisk } = makeSpooling(places, spool)
  yield* gauged(meters.backlogWaiting({}), places.count)
  const { droppedSinceSaid, lose } = yield* makeLosses
  const { write, writeAll } = makeBufferWrites(ledger, backlog.remove, () => lose(1))
  return {
    backlog,
    spool,
    write,
    ...makeWaitingWrites(places, spool, writeAll, lose),
    /** Whether a decision is on disk and not in memory: feedback on it has to wait. */
    isSpilled: (key: string) => spilled.has(key),
    droppedSinceSaid,
    onlyInMemory,
    keepMissed,
    /** Keeps decisions, on disk where there is a spool. Runs `wake` when there is something to write. */
    keep: Effect.fnUntraced(function*(decisions: Decisions, wake: Effect.Effect<unknown>) {
      for (const decision of decisions) backlog.add(decision)
      yield* lose(takeDropped())
      yield* wake
      if (!(yield* keepOnDisk(decisions))) return
      // The file exists only now: decisions that were in memory may have been written already.
      yield* wake
    })
  }
})

/** What {@link makeWaiting} yields. */
export type Waiting = Effect.Success<typeof makeWaiting>
