/* A remote memory whose writes are not lost during an outage: they wait in the service's own database. */
import { Effect, Layer, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { CurrentCallerKey } from "../../accounts/CallerKey.ts"
import type { AccountId, LaneId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { writeNow } from "../DirectWrites.ts"
import { Memory, MemoryUnavailable, type PreparedWrite, type WriteResult } from "../Memory.ts"
import { laneIdOf, type MemoryWrite } from "../MemoryWrite.ts"
import { makeDelivery } from "./OutboxDelivery.ts"
import { outboxSettings, type OutboxSettings } from "./OutboxSettings.ts"
import { OutboxStore, type OutboxUnavailable } from "./OutboxStore.ts"
import * as OutboxStoreSql from "./OutboxStoreSql.ts"
import { keptOf } from "./OutboxWrites.ts"

const stored = <A>(effect: Effect.Effect<A, OutboxUnavailable>) =>
  Effect.mapError(effect, ({ reason }) => new MemoryUnavailable({ reason }))

const behindOthers = new MemoryUnavailable({
  reason: new Reason.NotSent({ cause: "earlier writes of the lane wait for the backend" })
})
const changedMeanwhile = new MemoryUnavailable({
  reason: new Reason.Conflict({ cause: "another report of the decision came first" })
})

/** Sends the write, unless others of its lane wait already. */
const sendBy = (
  remote: Memory["Service"],
  isWaiting: OutboxStore["Service"]["isWaiting"],
  { directMs }: OutboxSettings
) => {
  const tooSlow = () => MemoryUnavailable.timedOut(directMs)
  return Effect.fnUntraced(function*(write: MemoryWrite): Effect.fn.Return<WriteResult> {
    const { accountId, lane } = laneIdOf(write)
    const isBehind = yield* Effect.result(stored(isWaiting(accountId, lane)))
    if (Result.isFailure(isBehind)) return Result.fail(isBehind.failure)
    return isBehind.success
      ? Result.fail(behindOthers)
      : yield* Effect.result(deadline(directMs, tooSlow)(writeNow(remote, write)))
  })
}

/** The backend's address, and how many writes of the account wait for it; its failure has the number too. */
const pingBy = (remote: Memory["Service"], countWaiting: OutboxStore["Service"]["countWaiting"]) =>
  Effect.fnUntraced(function*(accountId: AccountId) {
    const waiting = yield* stored(countWaiting(accountId))
    const { endpoint } = yield* remote.ping(accountId).pipe(
      Effect.mapError(({ reason }) => new MemoryUnavailable({ reason, waiting }))
    )
    return { endpoint, waiting }
  })

const make = Effect.fnUntraced(function*(settings: OutboxSettings) {
  const remote = yield* Memory
  const { countWaiting, enqueue, isWaiting } = yield* OutboxStore
  const delivery = yield* makeDelivery(settings)
  const send = sendBy(remote, isWaiting, settings)

  /** Keeps the key of the account's request, with which its writes are delivered later. */
  const rememberKey = Effect.fnUntraced(function*(accountId: AccountId) {
    const caller = yield* CurrentCallerKey
    if (caller?.accountId === accountId) delivery.remember(caller, yield* monotonicMs)
  })

  /** Sends the writes in order. After a write that failed, those of its lane stay behind it. */
  const prepare = Effect.fnUntraced(function*(feedbacks: ReadonlyArray<ReadonlyArray<MemoryWrite>>) {
    const failedLanes = new Set<string>()
    return yield* Effect.forEach(feedbacks, (writes) =>
      Effect.forEach(writes, Effect.fnUntraced(function*(write): Effect.fn.Return<PreparedWrite> {
        const { accountId, lane } = laneIdOf(write)
        yield* rememberKey(accountId)
        const name = JSON.stringify([accountId, lane])
        const answer = failedLanes.has(name) ? Result.fail(behindOthers) : yield* send(write)
        if (Result.isFailure(answer)) failedLanes.add(name)
        return { write, answer }
      })))
  })

  /**
   * Puts a write that the backend did not take into the outbox, in the transaction that is open. It still
   * fails: the caller learns that the write is late, and it is not lost.
   */
  const commitOne = Effect.fnUntraced(function*(
    { answer, write }: PreparedWrite
  ): Effect.fn.Return<WriteResult> {
    const result = answer ?? Result.fail(changedMeanwhile)
    if (Result.isSuccess(result)) return result
    const { accountId } = laneIdOf(write)
    const kept = yield* Effect.result(stored(enqueue(accountId, keptOf(write))))
    if (Result.isFailure(kept)) return Result.fail(kept.failure)
    delivery.watch(accountId, yield* monotonicMs)
    return result
  })

  /** The read of the remote memory; the caller's key is kept for deliveries. */
  const withKeyKept =
    <A extends LaneId, B>(read: (query: A) => Effect.Effect<B, MemoryUnavailable>) => (query: A) =>
      Effect.andThen(rememberKey(query.accountId), read(query))

  return Memory.of({
    recall: withKeyKept(remote.recall),
    strategies: withKeyKept(remote.strategies),
    diagnose: withKeyKept(remote.diagnose),
    health: withKeyKept(remote.health),
    prepare,
    commit: (feedbacks) => Effect.forEach(feedbacks, (prepared) => Effect.forEach(prepared, commitOne)),
    ping: pingBy(remote, countWaiting)
  })
})

/** {@link layer} over any store. */
export const layerOver = (
  settings: OutboxSettings = outboxSettings
): Layer.Layer<Memory, never, Memory | OutboxStore> => Layer.effect(Memory, make(settings))

/**
 * A remote memory whose writes are not lost: a write that cannot be delivered before the settlement waits
 * in the service's own database and is delivered later, in order per lane, by any process that has had a
 * request of the account since. A late write fails here, so that its feedback names no record and no
 * reflection; the backend finds what is due when it takes the outcome.
 */
export const layer = (
  settings: OutboxSettings = outboxSettings
): Layer.Layer<Memory, never, Memory | SqlClient.SqlClient> =>
  layerOver(settings).pipe(Layer.provide(Layer.fresh(OutboxStoreSql.layer)))
