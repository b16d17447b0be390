/* A ledger that keeps its decisions during an outage of its database. */
import { Effect, Exit, Latch, Layer } from "effect"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { Ledger, LedgerUnavailable } from "../Ledger.ts"
import { bufferSettings } from "./BufferSettings.ts"
import type { Decisions } from "./DecisionBuffer.ts"
import {
  isRefusal, late, makeWaiting, type RecordFailure, refusesThis, type Waiting
} from "./WaitingDecisions.ts"

const { retryMs, retryMsMax, stopMs, writeMs } = bufferSettings

/** Repeats an attempt while it returns false, with growing pauses. */
const untilDone = (attempt: Effect.Effect<boolean>, between: Effect.Effect<void>) =>
  Effect.gen(function*() {
    for (let pauseMs: number = retryMs; !(yield* attempt); pauseMs = Math.min(retryMsMax, 2 * pauseMs)) {
      yield* between
      yield* Effect.sleep(pauseMs)
    }
  })

/** An outage lasts from a failed write to the next successful one. In an outage `record` fails at once. */
const makeOutage = () => {
  let isOut = false
  return {
    isOut: () => isOut,
    begin: Effect.suspend(() => {
      if (isOut) return Effect.void
      isOut = true
      return Effect.logWarning("The ledger is out: decisions wait in the process to be written")
    }),
    end: () => {
      isOut = false
    }
  }
}
type Outage = ReturnType<typeof makeOutage>

/** Writes the waiting decisions whenever the latch `filled` is open; never ends. */
const drain = (waiting: Waiting, outage: Outage, filled: Latch.Latch): Effect.Effect<never> =>
  Effect.gen(function*() {
    const { count, droppedSinceSaid, writeWaiting } = waiting
    for (;;) {
      yield* filled.await
      const before = count()
      yield* untilDone(writeWaiting(outage.end), outage.begin)
      yield* filled.close
      // A decision that arrived after the last write, but before the latch closed, opens the latch again.
      if (count() > 0) yield* filled.open
      if (before === 0) continue
      yield* Effect.logInfo("The ledger has the decisions that waited").pipe(
        Effect.annotateLogs({ waited: before, dropped: droppedSinceSaid() })
      )
    }
  })

/** Makes a stopping service's last attempt to write. */
const writeLast = ({ count, writeWaiting }: Waiting, outage: Outage) =>
  Effect.gen(function*() {
    if (count() === 0) return
    yield* writeWaiting(outage.end).pipe(Effect.timeoutOption(stopMs))
    if (count() === 0) return
    yield* Effect.logError("Decisions are lost: the ledger is out").pipe(
      Effect.annotateLogs({ lost: count() })
    )
  })

const make = Effect.gen(function*() {
  const ledger = yield* Ledger
  const waiting = yield* makeWaiting
  const filled = yield* Latch.make(true)
  const outage = makeOutage()
  const keep = (decisions: Decisions) => Effect.andThen(waiting.keep(decisions), filled.open)
  /** If the write fails without being refused, the decisions wait for a later write. */
  const writeOrKeep = <E extends RecordFailure>(
    decisions: Decisions,
    write: Effect.Effect<void, E>
  ): Effect.Effect<void, E | LedgerUnavailable> =>
    outage.isOut()
      ? Effect.andThen(
        keep(decisions),
        new LedgerUnavailable({
          reason: new Reason.NotSent({ cause: "it was out a moment ago; the decision waits to be written" })
        })
      )
      : write.pipe(
        Effect.tapError((failure) => isRefusal(failure) ? Effect.void : outage.begin),
        // A slow write does not prove an outage.
        deadline(writeMs, late(writeMs)),
        Effect.onExit((exit) => Exit.isSuccess(exit) || refusesThis(exit) ? Effect.void : keep(decisions))
      )

  yield* Effect.addFinalizer(() => writeLast(waiting, outage))
  yield* Effect.forkScoped(drain(waiting, outage, filled))

  return Ledger.of({
    ...ledger,
    record: (decisions) => writeOrKeep(decisions, ledger.record(decisions)),
    recordWithin: (decisions, check) => writeOrKeep(decisions, ledger.recordWithin(decisions, check)),
    find: Effect.fnUntraced(function*(accountId, recommendationId, asOf) {
      const kept = waiting.find(accountId, recommendationId)
      if (kept !== null) yield* waiting.write([kept])
      return yield* ledger.find(accountId, recommendationId, asOf)
    })
  })
})

/**
 * During an outage of the database, `record` keeps the decision in a bounded buffer but fails, because no
 * reader can find the decision yet. A call of `find` writes a waiting decision first, or fails, because the
 * answer "unknown" would be wrong. The underlying ledger must ignore a repeated decision.
 */
export const layer: Layer.Layer<Ledger, never, Ledger> = Layer.effect(Ledger, make)
