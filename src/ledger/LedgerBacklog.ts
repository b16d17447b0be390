import { Effect, Exit, Latch, Layer } from "effect"
import { within } from "../domain/Budget.ts"
import { gauged, measure, meters } from "../domain/Meters.ts"
import type { AccountId } from "../domain/Scope.ts"
import { type Decisions, makeBacklog } from "./Backlog.ts"
import { backlogSettings } from "./BacklogSettings.ts"
import { Ledger, LedgerUnavailable } from "./Ledger.ts"

const { attemptMs, batchRows, decisionsMax, retryMs, retryMsMax, stopMs, writeMs } = backlogSettings

const late = (budgetMs: number) => () => new LedgerUnavailable({ cause: `no answer within ${budgetMs} ms` })

const refusesThis = (exit: Exit.Exit<void, LedgerUnavailable>): boolean =>
  Exit.isFailure(exit)
  && exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error.isRefusal === true)

const make = Effect.gen(function*() {
  const ledger = yield* Ledger
  const backlog = makeBacklog(decisionsMax)
  yield* gauged(meters.backlogWaiting({}), backlog.size)
  // There from the start: an increase from nothing is none that anybody sees.
  yield* measure((add) => add(meters.backlogDropped({}), 0))
  const filled = yield* Latch.make()
  /** Since a write failed and until one succeeds: nobody else waits to find out the same. */
  let isOut = false
  const out = Effect.suspend(() => {
    if (isOut) return Effect.void
    isOut = true
    return Effect.logWarning("The ledger is out: decisions wait in the process to be written")
  })
  let droppedSinceSaid = 0

  const lose = (count: number) => {
    droppedSinceSaid += count
    return measure((add) => add(meters.backlogDropped({}), count))
  }

  const keep = Effect.fnUntraced(function*(decisions: Decisions) {
    const lost = decisions.reduce((sum, decision) => sum + backlog.add(decision), 0)
    if (lost > 0) yield* lose(lost)
    yield* filled.open
  })

  const write = (decisions: Decisions) =>
    ledger.record(decisions).pipe(
      within(attemptMs, late(attemptMs)),
      Effect.andThen(Effect.sync(() => backlog.remove(decisions)))
    )

  /** Writes what the ledger takes, one by one, and gives up what it refuses; false when it is out. */
  const writeApart = Effect.fnUntraced(function*(decisions: Decisions) {
    for (const decision of decisions) {
      const written = yield* Effect.exit(write([decision]))
      if (Exit.isSuccess(written)) continue
      if (!refusesThis(written)) return false
      backlog.remove([decision])
      yield* lose(1)
    }
    return true
  })

  /** One batch; false when the ledger is out. */
  const writeBatch = Effect.fnUntraced(function*(decisions: Decisions) {
    const together = yield* Effect.exit(write(decisions))
    return Exit.isSuccess(together) || (refusesThis(together) && (yield* writeApart(decisions)))
  })

  /** Writes all that waits; false when the ledger is out before the end. */
  const writeAll = Effect.gen(function*() {
    for (let batch = backlog.oldest(batchRows); batch !== null; batch = backlog.oldest(batchRows)) {
      if (!(yield* writeBatch(batch))) return false
      isOut = false
    }
    isOut = false
    return true
  })

  const drain = Effect.gen(function*() {
    for (;;) {
      yield* filled.await
      const before = backlog.size()
      for (let pauseMs: number = retryMs; !(yield* writeAll); pauseMs = Math.min(retryMsMax, 2 * pauseMs)) {
        yield* out
        yield* Effect.sleep(pauseMs)
      }
      yield* filled.close
      // Whatever came between the last look and the closing.
      if (backlog.size() > 0) yield* filled.open
      yield* Effect.logInfo("The ledger is back: what waited is written").pipe(
        Effect.annotateLogs({ waited: before, dropped: droppedSinceSaid })
      )
      droppedSinceSaid = 0
    }
  })
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      if (backlog.size() > 0) yield* writeAll.pipe(Effect.timeoutOption(stopMs))
      const left = backlog.size()
      if (left === 0) return
      yield* Effect.logError("Decisions are lost: the ledger is out").pipe(Effect.annotateLogs({ left }))
    })
  )
  yield* Effect.forkScoped(drain)

  return Ledger.of({
    ...ledger,
    record: (decisions) =>
      isOut
        ? Effect.andThen(
          keep(decisions),
          new LedgerUnavailable({ cause: "It was out a moment ago; the decision waits to be written" })
        )
        : ledger.record(decisions).pipe(
          Effect.tapError(({ isRefusal }) => isRefusal === true ? Effect.void : out),
          // One that is merely late says little: whether the ledger is out, the drain finds out.
          within(writeMs, late(writeMs)),
          Effect.onExit((exit) => Exit.isSuccess(exit) || refusesThis(exit) ? Effect.void : keep(decisions))
        ),
    find: Effect.fnUntraced(function*(accountId: AccountId, recommendationId: string) {
      const kept = backlog.find(accountId, recommendationId.toLowerCase())
      if (kept === null) return yield* ledger.find(accountId, recommendationId)
      // Feedback needs its row. While that cannot be written this fails: "unknown" would be a lie.
      yield* write([kept])
      return kept
    })
  })
})

/**
 * A ledger whose decisions survive its outage: one that cannot be written waits in the process, bounded, and
 * is written once the ledger is back or, in a last attempt, when the service stops. `record` still fails,
 * since what waits is not durable: a process that dies takes it along. `find` writes what waits before it
 * answers, and fails while that cannot be done. Needs a ledger that takes a decision told twice as one.
 */
export const layer: Layer.Layer<Ledger, never, Ledger> = Layer.effect(Ledger, make)
