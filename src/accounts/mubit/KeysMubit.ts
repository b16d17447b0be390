import { Effect, Layer, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { laneOf } from "../../domain/Scope.ts"
import { MubitClient } from "../../memory/mubit/MubitClient.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { parseForeign } from "../Key.ts"
import { Keys, KeysUnavailable } from "../Keys.ts"
import { keysRemote } from "../KeysRemote.ts"
import { makeKeyCache, type KeyStatus } from "../KeyCache.ts"

// The backend's own health answers anybody, so that it says nothing of a key; a lane's needs a good one.
// What answers everything with a page is not the backend.
const Answer = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const question = { path: "/v2/control/memory_health", body: { run_id: laneOf(null), limit: 1 } }

/** That protocol knows neither roles nor ends. */
const good: KeyStatus = { role: "use", remainingMs: null }

const nobodysKey = (): Redacted.Redacted<string> =>
  Redacted.make(`mbt_nobody_nobody_${randomUUID().replaceAll("-", "")}`)

const make = Effect.gen(function*() {
  const { ask, endpoint, onRefused } = yield* MubitClient
  /** What asking with a key comes to: whether it is taken, and null for a lane that is not found. */
  const asked = (text: Redacted.Redacted<string>): Effect.Effect<boolean | null, KeysUnavailable> =>
    ask(text, question, Answer).pipe(
      Effect.as(true),
      Effect.catch((failure) => {
        if (failure.reason._tag === "Unauthorized") return Effect.succeed(false)
        const isNotFound = failure.reason._tag === "Unreachable" && failure.reason.status === 404
        if (isNotFound) return Effect.succeed(null)
        return Effect.fail(new KeysUnavailable({ reason: failure.reason }))
      })
    )
  const verifiedKeys = yield* makeKeyCache(Effect.fnUntraced(function*(key) {
    const isTaken = yield* asked(Redacted.make(key.text))
    if (isTaken !== null) return isTaken ? good : null
    // An account's lane is not there before its first write, and then the key was good all the same; but a
    // wrong address finds nothing for anybody. Here a key that nobody holds must fare worse.
    if ((yield* asked(nobodysKey())) === false) return good
    const cause = `nothing at ${endpoint} tells keys apart`
    return yield* new KeysUnavailable({ reason: new Reason.Unusable({ cause }) })
  }))
  return keysRemote({ endpoint, onRefused, parse: parseForeign, verifiedKeys })
})

/**
 * Keys that the hosted backend verifies by answering a question about memory. Only 401 and 403 refuse a key;
 * that the lane is not found, as before an account's first write, verifies it where a made-up key is refused.
 * The answer does not name an account, so that the account is the instance segment of a key that it takes;
 * two prefixes of one instance are one account.
 */
export const layer: Layer.Layer<Keys, never, MubitClient> = Layer.effect(Keys, make)
