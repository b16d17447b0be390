/* A remote memory whose writes are not lost during an outage: they wait in the service's own database. */
import { Effect, Layer, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { CurrentCallerKey } from "../../accounts/CallerKey.ts"
import type { AccountId, LaneId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { noRows } from "../../domain/WriteRows.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { Memory, MemoryUnavailable, type PreparedWrites, type WriteResult } from "../Memory.ts"
import type { MemoryWrite } from "../MemoryWrite.ts"
import { answeredWrites } from "../WriteSteps.ts"
import { makeDelivery } from "./OutboxDelivery.ts"
import { rowOf } from "./OutboxRows.ts"
import { outboxSettings, type OutboxSettings } from "./OutboxSettings.ts"
import { OutboxStore, type OutboxUnavailable } from "./OutboxStore.ts"
import * as OutboxStoreSql from "./OutboxStoreSql.ts"

const stored = <A>(effect: Effect.Effect<A, OutboxUnavailable>) =>
  Effect.mapError(effect, ({ reason }) => new MemoryUnavailable({ reason }))

const behindOthers = new MemoryUnavailable({
  reason: new Reason.NotSent({ cause: "earlier writes of the lane wait for the backend" })
})

/** Sends the write, unless others of its lane wait already. */
const sendBy = (
  remote: Memory["Service"],
  isWaiting: OutboxStore["Service"]["isWaiting"],
  { directMs }: OutboxSettings
) => {
  const tooSlow = () => MemoryUnavailable.timedOut(directMs)
  return Effect.fnUntraced(function*(write: MemoryWrite): Effect.fn.Return<WriteResult> {
    const { accountId, lane } = write.body
    const isBehind = yield* Effect.result(stored(isWaiting(accountId, lane)))
    if (Result.isFailure(isBehind)) return Result.fail(isBehind.failure)
    return isBehind.success
      ? Result.fail(behindOthers)
      : yield* Effect.result(deadline(directMs, tooSlow)(remote.write(write)))
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
  const { countWaiting, isWaiting } = yield* OutboxStore
  const delivery = yield* makeDelivery(settings)
  const send = sendBy(remote, isWaiting, settings)

  /** Keeps the key of the account's request, with which its writes are delivered later. */
  const rememberKey = Effect.fnUntraced(function*(accountId: AccountId) {
    const caller = yield* CurrentCallerKey
    if (caller?.accountId === accountId) delivery.remember(caller, yield* monotonicMs)
  })

  /** Sends a write with the key that the request came with; it waits behind earlier ones of its lane. */
  const sendWithKey = (write: MemoryWrite) =>
    Effect.andThen(rememberKey(write.body.accountId), send(write))

  /**
   * Sends the writes of one lane in order; after one that failed, the others stay behind it. What the backend
   * did not take is put into the outbox by the settlement. It still fails: the caller learns that the write
   * is late, and it is not lost.
   */
  const prepare = Effect.fnUntraced(function*(
    writes: ReadonlyArray<MemoryWrite>
  ): Effect.fn.Return<PreparedWrites> {
    const results: Array<WriteResult> = []
    for (const write of writes) {
      results.push(results.some(Result.isFailure) ? Result.fail(behindOthers) : yield* sendWithKey(write))
    }
    const late = writes.filter((_, index) => results[index] !== undefined && Result.isFailure(results[index]))
    const outbox = yield* Effect.forEach(late, (write) => rowOf(write))
    return {
      ...answeredWrites(results),
      rows: { ...noRows, outbox },
      onWritten: () =>
        Effect.map(monotonicMs, (nowMs) => {
          for (const write of late) delivery.watch(write.body.accountId, nowMs)
        })
    }
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
    knownModels: remote.knownModels,
    taskVectorsOf: remote.taskVectorsOf,
    prepare,
    write: (write) => Effect.flatMap(sendWithKey(write), Effect.fromResult),
    ping: pingBy(remote, countWaiting)
  })
})

/** {@link layer} over any store. */
export const layerOver = (
  settings: OutboxSettings = outboxSettings
): Layer.Layer<Memory, never, Memory | OutboxStore> => Layer.effect(Memory, make(settings))

/**
 * A remote memory whose writes are not lost: a write that cannot be delivered before its settlement waits
 * in the service's own database and is delivered later, in order per lane, by any process that has had a
 * request of the account since. A late write fails here, so that its feedback names no record and no
 * reflection; the backend finds what is due when it takes the outcome.
 */
export const layer = (
  settings: OutboxSettings = outboxSettings
): Layer.Layer<Memory, never, Memory | SqlClient.SqlClient> =>
  layerOver(settings).pipe(Layer.provide(Layer.fresh(OutboxStoreSql.layer)))
