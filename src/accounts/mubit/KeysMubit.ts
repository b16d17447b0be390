/** Driver of {@link Keys}: a hosted memory backend that verifies keys by answering a question. */
import { Effect, Layer, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { laneOf } from "../../domain/Scope.ts"
import { MubitClient } from "../../memory/mubit/MubitClient.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { parseForeign } from "../Key.ts"
import { makeKeyCache, type KeyStatus } from "../KeyCache.ts"
import { Keys, KeysUnavailable } from "../Keys.ts"
import { keysRemote } from "../KeysRemote.ts"

// The health of the backend needs no key; the health of a lane does. The answer must be a JSON object: a
// server that answers every path with a page is not the backend.
const Answer = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const question = { path: "/v2/control/memory_health", body: { run_id: laneOf(null), limit: 1 } }

/** The protocol has neither roles nor ends of keys. */
const good: KeyStatus = { role: "use", remainingMs: null }

const madeUpKey = (): Redacted.Redacted<string> =>
  Redacted.make(`mbt_nobody_nobody_${randomUUID().replaceAll("-", "")}`)

const make = Effect.gen(function*() {
  const { ask, endpoint, onRefused } = yield* MubitClient
  /** Whether the backend accepts the key; null when it does not find the lane. */
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
  const cache = yield* makeKeyCache(Effect.fnUntraced(function*(key) {
    const isTaken = yield* asked(Redacted.make(key.text))
    if (isTaken !== null) return isTaken ? good : null
    // Before an account's first write its lane does not exist, although the key is good; at a wrong address
    // nothing exists for any key. The two differ in whether a made-up key is refused.
    if ((yield* asked(madeUpKey())) === false) return good
    const cause = `nothing at ${endpoint} distinguishes valid keys from others`
    return yield* new KeysUnavailable({ reason: new Reason.Unusable({ cause }) })
  }))
  return keysRemote({ endpoint, onRefused, parse: parseForeign, cache })
})

/**
 * Keys that the hosted backend verifies by answering a question about memory. Only 401 and 403 refuse a key.
 * A lane that is not found, as before an account's first write, verifies the key if a made-up key is refused.
 * The answer does not name the account, which is therefore the instance segment of the key; two prefixes of
 * one instance are one account.
 */
export const layer: Layer.Layer<Keys, never, MubitClient> = Layer.effect(Keys, make)
