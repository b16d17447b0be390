/** Driver of {@link Keys}: a remote memory verifies the keys over HTTP. */
import { Effect, Layer, Redacted } from "effect"
import { parse } from "../../accounts/Key.ts"
import { keysIn, makeKeyCache } from "../../accounts/KeyCache.ts"
import { Keys, KeysUnavailable } from "../../accounts/Keys.ts"
import { isRole } from "../../domain/account/Role.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { MemoryClient } from "./MemoryClient.ts"

const make = Effect.gen(function*() {
  const { ask, endpoint, onRefused } = yield* MemoryClient
  const cache = yield* makeKeyCache((key) =>
    ask(Redacted.make(key.text), (api) => api.account({})).pipe(
      // A key is refused if the memory names another account than the key does, because their data would mix.
      Effect.map(({ accountId, remainingMs, role }) =>
        accountId === key.accountId && isRole(role) ? { role, remainingMs } : null),
      Effect.catch((failure) =>
        failure.reason._tag === "Unauthorized"
          ? Effect.succeed(null)
          : Effect.fail(new KeysUnavailable({ reason: failure.reason }))
      )
    )
  )
  onRefused((text) => {
    const key = parse(Redacted.value(text))
    if (key !== null) cache.forget(key)
  })
  const kept = Effect.suspend(() =>
    Effect.fail(new KeysUnavailable({
      reason: new Reason.Rejected({ cause: `the memory backend at ${endpoint} keeps the keys` })
    }))
  )
  return Keys.of({
    ...keysIn(cache),
    create: () => kept,
    register: () => kept,
    rotate: () => kept,
    list: kept,
    revoke: () => kept
  })
})

/**
 * This service stores no keys, so calls that create, list, change or revoke keys fail. A verified key is
 * removed from the cache when the memory refuses it in any call.
 */
export const layer: Layer.Layer<Keys, never, MemoryClient> = Layer.effect(Keys, make)
