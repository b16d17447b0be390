/*
 * A ledger whose decisions survive an outage of its database, and with a spool also the end of the process.
 */
import { Effect, Exit, Latch, Layer } from "effect"
import type { RecommendationId } from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import type { VoteRequest } from "../../domain/Vote.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { type BudgetExhausted, Ledger, LedgerUnavailable } from "../Ledger.ts"
import { bufferSettings } from "./BufferSettings.ts"
import type { Decisions } from "./DecisionBuffer.ts"
import * as Spool from "./Spool.ts"
import { isRefusal, keyOf, late, makeWaiting, refusesThis, type Waiting } from "./WaitingDecisions.ts"

const { retryMs, retryMsMax, stopMs, writeMs } = bufferSettings

/** Repeats an attempt while it yields false, with growing pauses. */
const untilDone = <E>(attempt: Effect.Effect<boolean, E>, between: Effect.Effect<void>) =>
  Effect.gen(function*() {
    for (let pauseMs: number = retryMs; !(yield* attempt); pauseMs = Math.min(retryMsMax, 2 * pauseMs)) {
      yield* between
      yield* Effect.sleep(pauseMs)
    }
  })

/**
 * Whether the ledger is out: from a failed write until one succeeds. Meanwhile callers do not wait for an
 * attempt of their own.
 */
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

/** Writes the waiting decisions at the start and whenever `filled` opens; never ends. */
const drain = (waiting: Waiting, outage: Outage, filled: Latch.Latch): Effect.Effect<never> =>
  Effect.gen(function*() {
    const { count, droppedSinceSaid, isUnsure, keepMissed, writeWaiting } = waiting
    for (;;) {
      yield* filled.await
      const before = count()
      yield* untilDone(
        writeWaiting(outage.end),
        Effect.andThen(keepMissed, Effect.suspend(() => isUnsure() ? Effect.void : outage.begin))
      )
      yield* filled.close
      // For decisions that came between the last check and the closing.
      if (count() > 0) yield* filled.open
      if (before === 0) continue
      yield* Effect.logInfo("The ledger has the decisions that waited").pipe(
        Effect.annotateLogs({ waited: before, dropped: droppedSinceSaid() })
      )
    }
  })

/** The last attempt of a service that stops; logs which decisions it leaves. */
const writeLast = ({ count, keepMissed, onlyInMemory, writeWaiting }: Waiting, outage: Outage) =>
  Effect.gen(function*() {
    if (count() > 0) yield* writeWaiting(outage.end).pipe(Effect.timeoutOption(stopMs))
    yield* keepMissed
    const lost = onlyInMemory().length
    if (lost > 0) {
      yield* Effect.logError("Decisions are lost: the ledger is out").pipe(
        Effect.annotateLogs({ left: lost })
      )
    }
    if (lost === count()) return
    yield* Effect.logWarning("The ledger is out: the next start writes the decisions on disk").pipe(
      Effect.annotateLogs({ onDisk: count() - lost })
    )
  })

/**
 * {@link Ledger} `find` and `vote`, which need the decision's row: a waiting decision is written first. While
 * it cannot be written they fail: the answer "unknown" would be wrong.
 */
const makeRowFirst = (ledger: typeof Ledger.Service, { isErased, isSpilled, memory, write }: Waiting) => {
  /** Writes the decision if it waits in memory, and yields it; null where it does not. */
  const written = Effect.fnUntraced(function*(accountId: AccountId, recommendationId: RecommendationId) {
    const kept = memory.find(accountId, recommendationId)
    if (kept === null) return null
    const isGone = yield* Effect.mapError(isErased, ({ cause }) =>
      new LedgerUnavailable({ reason: new Reason.Unclassified({ cause }) }))
    if (isGone(kept)) {
      memory.remove([kept])
      return null
    }
    yield* write([kept])
    return kept
  })
  /** What the ledger has of the decision; fails where that is nothing because the decision waits on disk. */
  const unlessSpilled = <A>(
    accountId: AccountId,
    recommendationId: RecommendationId,
    found: A | null
  ): Effect.Effect<A | null, LedgerUnavailable> =>
    found === null && isSpilled(keyOf({ accountId, recommendationId }))
      ? Effect.fail(new LedgerUnavailable({
        reason: new Reason.NotSent({ cause: "the decision waits on disk to be written" })
      }))
      : Effect.succeed(found)
  return {
    find: Effect.fnUntraced(function*(accountId: AccountId, recommendationId: RecommendationId) {
      const kept = yield* written(accountId, recommendationId)
      if (kept !== null) return kept
      const found = yield* ledger.find(accountId, recommendationId)
      return yield* unlessSpilled(accountId, recommendationId, found)
    }),
    vote: Effect.fnUntraced(function*(
      accountId: AccountId,
      recommendationId: RecommendationId,
      vote: VoteRequest
    ) {
      yield* written(accountId, recommendationId)
      const voted = yield* ledger.vote(accountId, recommendationId, vote)
      return yield* unlessSpilled(accountId, recommendationId, voted)
    })
  }
}

const make = Effect.gen(function*() {
  const ledger = yield* Ledger
  const waiting = yield* makeWaiting
  const filled = yield* Latch.make(true)
  const outage = makeOutage()
  const keep = (decisions: Decisions) => waiting.keep(decisions, filled.open)
  /** Writes decisions by that write, or keeps them. */
  const writeOrKeep = <E extends BudgetExhausted | LedgerUnavailable>(
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
        // A late write does not show that the ledger is unreachable; the drain finds out.
        deadline(writeMs, late(writeMs)),
        Effect.onExit((exit) => Exit.isSuccess(exit) || refusesThis(exit) ? Effect.void : keep(decisions))
      )

  yield* Effect.addFinalizer(() => writeLast(waiting, outage))
  yield* Effect.forkScoped(drain(waiting, outage, filled))

  return Ledger.of({
    ...ledger,
    record: (decisions) => writeOrKeep(decisions, ledger.record(decisions)),
    recordWithin: (decisions, check) => writeOrKeep(decisions, ledger.recordWithin(decisions, check)),
    ...makeRowFirst(ledger, waiting)
  })
})

/**
 * A ledger whose decisions survive its outage. A decision that cannot be written is kept in a bounded buffer,
 * and on disk where there is a spool; it is written once the ledger is back, by a last attempt when the
 * service stops, or by the next start. `record` fails all the same, since no reader finds the decision yet.
 * `find` and `vote` write a waiting decision before they answer, and fail while that is impossible. The
 * ledger beneath must accept a repeated decision as one.
 */
export const layer: Layer.Layer<Ledger, never, Ledger> = Layer.effect(Ledger, make)

/** {@link layer} with a spool in a data directory for the decisions of one database. */
export const layerSpooled = (dataDirectory: string, database: string): Layer.Layer<Ledger, never, Ledger> =>
  layer.pipe(Layer.provide(Spool.layer(dataDirectory, database)))
