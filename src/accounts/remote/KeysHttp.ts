import { Effect, Layer, Redacted } from "effect"
import { isRole } from "../../domain/Role.ts"
import { MemoryClient } from "../../memory/remote/MemoryClient.ts"
import { parse } from "../Key.ts"
import { Keys, KeysUnavailable } from "../Keys.ts"
import { keysRemote } from "../KeysRemote.ts"
import { makeKeyCache } from "../KeyCache.ts"

const make = Effect.gen(function*() {
  const { ask, endpoint, onRefused } = yield* MemoryClient
  const verifiedKeys = yield* makeKeyCache((key) =>
    ask(Redacted.make(key.text), (api) => api.account({})).pipe(
      // A backend that tells another account than the key does would mix two accounts' data here. One from
      // before roles has keys of the role `use` alone, without an end.
      Effect.map(({ accountId, remainingMs = null, role = "use" }) =>
        accountId === key.accountId && isRole(role) ? { role, remainingMs } : null),
      Effect.catch((failure) =>
        failure.reason._tag === "Unauthorized"
          ? Effect.succeed(null)
          : Effect.fail(new KeysUnavailable({ reason: failure.reason }))
      )
    )
  )
  return keysRemote({ endpoint, onRefused, parse, verifiedKeys })
})

/**
 * Keys that an external memory verifies; the service keeps none, so that everything but `verify` fails. What
 * it said is remembered as for any other driver, until it refuses the key, whatever it was asked.
 */
export const layer: Layer.Layer<Keys, never, MemoryClient> = Layer.effect(Keys, make)
