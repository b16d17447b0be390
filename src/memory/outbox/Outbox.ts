import { Context, Effect, Layer, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { deadline } from "../../resilience/Deadline.ts"
import type { Caller } from "../../domain/Scope.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { type LaneScope, Memory, MemoryUnavailable } from "../Memory.ts"
import { makeDelivery } from "./OutboxDelivery.ts"
import type { Write } from "./OutboxRows.ts"
import { outboxSettings, type OutboxSettings } from "./OutboxSettings.ts"
import { OutboxStore, type OutboxUnavailable } from "./OutboxStore.ts"
import * as OutboxStoreSql from "./OutboxStoreSql.ts"

const withoutCaller = <A extends LaneScope>({ caller: _caller, ...rest }: A): Omit<A, "caller"> => rest

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
    Effect.mapError(effect, (cause) => new MemoryUnavailable({ cause }))
  const tooSlow = () => new MemoryUnavailable({ cause: `no answer within ${settings.directMs} ms` })
  const changedMeanwhile = new MemoryUnavailable({ cause: "another report of the decision came first" })
  const behindOthers = new MemoryUnavailable({ cause: "earlier writes of the lane wait for the backend" })

  /** Tries the write at once, unless others of its lane wait already. */
  const tryNow = Effect.fnUntraced(function*<A>(
    { accountId }: Caller,
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
    caller: Caller,
    write: Write,
    direct: Effect.Effect<A, MemoryUnavailable>
  ) {
    delivery.remember(caller, yield* monotonicMs)
    const ahead = yield* Ahead
    const id = idOf(write)
    if (ahead?.isTrying === true) {
      const isBehind = [...ahead.results.values()].some(Result.isFailure)
      const tried = isBehind ? Result.fail(behindOthers) : yield* tryNow(caller, write, direct)
      ahead.results.set(id, tried)
      return yield* Effect.fromResult(tried)
    }
    // The seam: the same write has the same answer, whose type the map does not keep.
    const told = ahead?.results.get(id) as Result.Result<A, MemoryUnavailable> | undefined
    // Another report came between: what is told now was not tried ahead, and no transaction waits for it.
    const tried = told
      ?? (ahead === null ? yield* tryNow(caller, write, direct) : Result.fail(changedMeanwhile))
    if (Result.isSuccess(tried)) return tried.success
    yield* stored(enqueue(caller.accountId, write))
    delivery.watch(caller.accountId, yield* monotonicMs)
    return yield* tried.failure
  })

  /** A read passes by, and brings the caller's key. */
  const seen = <A extends { readonly caller: Caller }, B>(
    read: (query: A) => Effect.Effect<B, MemoryUnavailable>
  ) =>
  (query: A) =>
    Effect.flatMap(monotonicMs, (nowMs) => {
      delivery.remember(query.caller, nowMs)
      return read(query)
    })

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
    ping: Effect.fnUntraced(function*(caller) {
      const waiting = yield* stored(countWaiting(caller.accountId))
      const { endpoint } = yield* remote.ping(caller).pipe(
        // Most worth knowing while the backend is out.
        Effect.mapError(({ cause }) => new MemoryUnavailable({ cause, waiting }))
      )
      return { endpoint, waiting }
    }),
    teach: (observation, teaches) =>
      durably(
        observation.caller,
        { kind: "teach", body: { ...unrevised, ...withoutCaller(observation), teaches } },
        remote.teach(observation, teaches)
      ),
    reinforce: (reinforcement) => {
      const { reinforcementId = null, revision = 0, ...body } = withoutCaller(reinforcement)
      return durably(
        reinforcement.caller,
        { kind: "reinforce", body: { ...body, reinforcementId, revision } },
        remote.reinforce(reinforcement)
      )
    },
    recordSteps: (rewards) =>
      durably(
        rewards.caller,
        { kind: "recordSteps", body: withoutCaller(rewards) },
        remote.recordSteps(rewards)
      ),
    promote: (lesson) => {
      const { errorText = null, revision = 0, userId = null, ...body } = withoutCaller(lesson)
      return durably(
        lesson.caller,
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
