import { Effect, Layer, Redacted } from "effect"
import { troubleOf } from "../memory/MemoryBackend.ts"
import { MemoryClient } from "../memory/MemoryClient.ts"
import { parse } from "./Key.ts"
import { KeyRejected, Keys, KeysUnavailable } from "./Keys.ts"
import { makeVerifiedKeys } from "./VerifiedKeys.ts"

const make = Effect.gen(function*() {
  const { ask, endpoint, onRefused } = yield* MemoryClient
  const verifiedKeys = yield* makeVerifiedKeys((key) =>
    ask(Redacted.make(key.text), (api) => api.account({})).pipe(
      // A backend that tells another account than the key does would mix two accounts' data here.
      Effect.map(({ accountId }) => accountId === key.accountId),
      Effect.catch((failure) =>
        troubleOf(failure) === "key"
          ? Effect.succeed(false)
          : Effect.fail(new KeysUnavailable({ cause: failure.cause }))
      )
    )
  )
  onRefused((text) => {
    const key = parse(Redacted.value(text))
    if (key !== null) verifiedKeys.forget(key)
  })
  const elsewhere = Effect.suspend(() =>
    Effect.fail(new KeysUnavailable({ cause: new Error(`The memory backend at ${endpoint} keeps the keys`) }))
  )
  return Keys.of({
    verify: Effect.fnUntraced(function*(text) {
      const key = parse(Redacted.value(text)) ?? (yield* new KeyRejected())
      yield* verifiedKeys.verify(key)
      return { accountId: key.accountId, key: text }
    }),
    create: () => elsewhere,
    register: () => elsewhere,
    list: elsewhere,
    revoke: () => elsewhere
  })
})

/**
 * Keys that an external memory verifies; the service keeps none, so that everything but `verify` fails. What
 * it said is remembered as for any other driver, until it refuses the key, whatever it was asked.
 */
export const layer: Layer.Layer<Keys, never, MemoryClient> = Layer.effect(Keys, make)
