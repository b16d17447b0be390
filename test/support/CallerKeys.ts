import { Effect, Layer, Redacted } from "effect"
import { CurrentCallerKey } from "../../src/accounts/CallerKey.ts"
import type { AccountId } from "../../src/domain/Scope.ts"
import { Memory } from "../../src/memory/Memory.ts"

/* Keys of the accounts that tests make up, and a memory that is asked with them. */

/** A key of the account, in the form of ours. */
export const keyOf = (accountId: AccountId): Redacted.Redacted<string> =>
  Redacted.make(`sxt_${accountId}_k1_${"0123456789abcdef".repeat(2)}`)

/** Another key of the account, which the backends of the tests refuse. */
export const badKeyOf = (accountId: AccountId): Redacted.Redacted<string> =>
  Redacted.make(Redacted.value(keyOf(accountId)).replace("_k1_", "_bad1_"))

/** Runs an effect as a request of the account that was made with `key`. */
export const asRequestOf = (accountId: AccountId, key = keyOf(accountId)) =>
  Effect.provideService(CurrentCallerKey, { accountId, key })

/** Provides the account's key where the test has provided none. */
const keyed = <A, E, R>(accountId: AccountId, ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.service(CurrentCallerKey), (current) =>
    current === null ? asRequestOf(accountId)(ask) : ask)

/** The memory, with each call made inside a request of its account. */
export const calledWithKeys = (memory: Memory["Service"]): Memory["Service"] =>
  Memory.of({
    ...memory,
    recall: (query) => keyed(query.accountId, memory.recall(query)),
    deliver: (accountId, ...left) => keyed(accountId, memory.deliver(accountId, ...left)),
    write: (write) => keyed(write.body.accountId, memory.write(write)),
    strategies: (query) => keyed(query.accountId, memory.strategies(query)),
    diagnose: (query) => keyed(query.accountId, memory.diagnose(query)),
    health: (query) => keyed(query.accountId, memory.health(query)),
    ping: (accountId) => keyed(accountId, memory.ping(accountId))
  })

/** {@link calledWithKeys} around the memory of a layer. */
export const layerCalledWithKeys = <E, R>(self: Layer.Layer<Memory, E, R>): Layer.Layer<Memory, E, R> =>
  Layer.effect(Memory, Effect.map(Memory, calledWithKeys)).pipe(Layer.provide(self))
