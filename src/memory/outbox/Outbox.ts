import { Context, Effect, Layer, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { deadline } from "../../resilience/Deadline.ts"
import { CurrentCallerKey } from "../../accounts/CallerKey.ts"
import type { AccountId, LaneId } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { Memory, MemoryUnavailable } from "../Memory.ts"
import { makeDelivery } from "./OutboxDelivery.ts"
import type { Write } from "./OutboxRows.ts"
import { outboxSettings, type OutboxSettings } from "./OutboxSettings.ts"
import { OutboxStore, type OutboxUnavailable } from "./OutboxStore.ts"
import * as OutboxStoreSql from "./OutboxStoreSql.ts"
import * as Reason from "../../resilience/FailureReason.ts"

const withoutAccount = <A extends LaneId>({ accountId: _, ...rest }: A): Omit<A, "accountId"> => rest

const unrevised = { revision: 0, verdictRevision: 0, isCostOutlier: false }

/** What a write is: told twice, it has one effect. */
const idOf = ({ body, kind }: Write): string => {
  switch (kind) {
    case "teach":
      return JSON.stringify([kind, body.observationId, body.revision])
    case "reinforce":
      return JSON.stringify([kind, body.reinforcementId, body.revision])
    case "recordSteps":
      return JSON.stringify([kind, body.recommendationId, body.modelId])
    case "promote":
      return JSON.stringify([kind, body.lessonId, body.revision])
  }
}

/** What became of a settlement's writes that were tried ahead of it, and whether that is still going on. */
interface Attempt {
  readonly isTrying: boolean
  readonly results: Map<string, Result.Result<unknown, MemoryUnavailable>>
}
const Ahead = Context.Reference<Attempt | null>("sextant/memory/outbox/Outbox/Ahead", {
  defaultValue: () => null
})

const make = Effect.fnUntraced(function*(settings: OutboxSettings) {
  const remote = yield* Memory
  const { countWaiting, enqueue, isWaiting } = yield* OutboxStore
  const delivery = yield* makeDelivery(settings)

  const stored = <A>(effect: Effect.Effect<A, OutboxUnavailable>) =>
    Effect.mapError(effect, ({ reason }) => new MemoryUnavailable({ reason }))
  const tooSlow = () => MemoryUnavailable.timedOut(settings.directMs)
  const changedMeanwhile = new MemoryUnavailable({
    reason: new Reason.Conflict({ cause: "another report of the decision came first" })
  })
  const behindOthers = new MemoryUnavailable({
    reason: new Reason.NotSent({ cause: "earlier writes of the lane wait for the backend" })
  })

  /** The key of the account's request, with which its writes are delivered later. */
  const rememberKey = Effect.fnUntraced(function*(accountId: AccountId) {
    const caller = yield* CurrentCallerKey
    if (caller?.accountId === accountId) delivery.remember(caller, yield* monotonicMs)
  })

  /** Tries the write at once, unless others of its lane wait already. */
  const tryNow = Effect.fnUntraced(function*<A>(
    accountId: AccountId,
    write: Write,
    direct: Effect.Effect<A, MemoryUnavailable>
  ) {
    return (yield* stored(isWaiting(accountId, write.body.lane)))
      ? Result.fail(behindOthers)
      : yield* Effect.result(deadline(settings.directMs, tooSlow)(direct))
  })

  /**
   * What fails at once, or has failed ahead, is put into the outbox, in the transaction that is open, and
   * still fails: the caller learns that it is late, and nothing is lost.
   */
  const durably = Effect.fnUntraced(function*<A>(
    accountId: AccountId,
    write: Write,
    direct: Effect.Effect<A, MemoryUnavailable>
  ) {
    yield* rememberKey(accountId)
    const ahead = yield* Ahead
    const id = idOf(write)
    if (ahead?.isTrying === true) {
      const isBehind = [...ahead.results.values()].some(Result.isFailure)
      const tried = isBehind ? Result.fail(behindOthers) : yield* tryNow(accountId, write, direct)
      ahead.results.set(id, tried)
      return yield* Effect.fromResult(tried)
    }
    // The seam: the same write has the same answer, whose type the map does not keep.
    const told = ahead?.results.get(id) as Result.Result<A, MemoryUnavailable> | undefined
    // Another report came between: what is told now was not tried ahead, and no transaction waits for it.
    const tried = told
      ?? (ahead === null ? yield* tryNow(accountId, write, direct) : Result.fail(changedMeanwhile))
    if (Result.isSuccess(tried)) return tried.success
    yield* stored(enqueue(accountId, write))
    delivery.watch(accountId, yield* monotonicMs)
    return yield* tried.failure
  })

  /** A read passes by, and brings the caller's key. */
  const seen = <A extends LaneId, B>(read: (query: A) => Effect.Effect<B, MemoryUnavailable>) => (query: A) =>
    Effect.andThen(rememberKey(query.accountId), read(query))

  return Memory.of({
    recall: seen(remote.recall),
    strategies: seen(remote.strategies),
    diagnose: seen(remote.diagnose),
    health: seen(remote.health),
    ahead: Effect.fnUntraced(function*(writes) {
      const results: Attempt["results"] = new Map()
      yield* Effect.provideService(writes, Ahead, { isTrying: true, results })
      return { during: Effect.provideService(Ahead, { isTrying: false, results }) }
    }),
    ping: Effect.fnUntraced(function*(accountId) {
      const waiting = yield* stored(countWaiting(accountId))
      const { endpoint } = yield* remote.ping(accountId).pipe(
        // Most worth knowing while the backend is out.
        Effect.mapError(({ reason }) => new MemoryUnavailable({ reason, waiting }))
      )
      return { endpoint, waiting }
    }),
    teach: (observation, teaches) =>
      durably(
        observation.accountId,
        { kind: "teach", body: { ...unrevised, ...withoutAccount(observation), teaches } },
        remote.teach(observation, teaches)
      ),
    reinforce: (reinforcement) => {
      const { reinforcementId = null, revision = 0, ...body } = withoutAccount(reinforcement)
      return durably(
        reinforcement.accountId,
        { kind: "reinforce", body: { ...body, reinforcementId, revision } },
        remote.reinforce(reinforcement)
      )
    },
    recordSteps: (rewards) =>
      durably(
        rewards.accountId,
        { kind: "recordSteps", body: withoutAccount(rewards) },
        remote.recordSteps(rewards)
      ),
    promote: (lesson) => {
      const { errorText = null, revision = 0, userId = null, ...body } = withoutAccount(lesson)
      return durably(
        lesson.accountId,
        { kind: "promote", body: { ...body, errorText, revision, userId } },
        remote.promote(lesson)
      )
    }
  })
})

/** {@link layer} over any store. */
export const layerOver = (
  settings: OutboxSettings = outboxSettings
): Layer.Layer<Memory, never, Memory | OutboxStore> => Layer.effect(Memory, make(settings))

/**
 * Lets no write to a memory elsewhere get lost: what cannot be delivered now waits in the service's own
 * database and is delivered later, in order per lane, by whichever process has heard from the account since.
 * What is late still fails here, so that its feedback names no record and no reflection; the backend finds
 * what is due when it takes the outcome.
 */
export const layer = (
  settings: OutboxSettings = outboxSettings
): Layer.Layer<Memory, never, Memory | SqlClient.SqlClient> =>
  layerOver(settings).pipe(Layer.provide(Layer.fresh(OutboxStoreSql.layer)))
