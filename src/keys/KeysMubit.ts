import { Effect, Layer, Redacted, Schema } from "effect"
import { laneOf } from "../domain/Scope.ts"
import { troubleOf } from "../memory/MemoryBackend.ts"
import { MubitClient } from "../memory/mubit/MubitClient.ts"
import { parseForeign } from "./Key.ts"
import { KeyRejected, Keys, KeysUnavailable } from "./Keys.ts"
import { makeVerifiedKeys } from "./VerifiedKeys.ts"

// The backend's own health answers anybody, so that it says nothing of a key; a lane's needs a good one.
// What answers everything with a page is not the backend.
const Answer = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const question = { path: "/v2/control/memory_health", body: { run_id: laneOf(null), limit: 1 } }

const make = Effect.gen(function*() {
  const { ask, endpoint, onRefused } = yield* MubitClient
  const verifiedKeys = yield* makeVerifiedKeys((key) =>
    ask(Redacted.make(key.text), question, Answer).pipe(
      Effect.as(true),
      Effect.catch((failure) =>
        troubleOf(failure) === "key"
          ? Effect.succeed(false)
          : Effect.fail(new KeysUnavailable({ cause: failure.cause }))
      )
    )
  )
  onRefused((text) => {
    const key = parseForeign(Redacted.value(text))
    if (key !== null) verifiedKeys.forget(key)
  })
  const elsewhere = Effect.suspend(() =>
    Effect.fail(new KeysUnavailable({ cause: new Error(`The memory backend at ${endpoint} keeps the keys`) }))
  )
  return Keys.of({
    verify: Effect.fnUntraced(function*(text) {
      const key = parseForeign(Redacted.value(text)) ?? (yield* new KeyRejected())
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
 * Keys that the hosted backend verifies by answering a question about memory. Its answer does not name an
 * account, so that the account is the instance segment of a key that it takes; two prefixes of one instance
 * are one account.
 */
export const layer: Layer.Layer<Keys, never, MubitClient> = Layer.effect(Keys, make)
