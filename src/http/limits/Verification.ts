import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import { monotonicMs } from "../../domain/Time.ts"
import { type KeyHolder, type KeyRejected, Keys, type KeysUnavailable } from "../../accounts/Keys.ts"
import { type Network, placeOfCaller } from "./Addresses.ts"
import { makeFailedKeys } from "./FailedKeys.ts"
import { limitSettings } from "./LimitSettings.ts"

/** Too many keys from the caller's address have failed: this one was not looked at. */
export class AddressLimited extends Schema.TaggedError<AddressLimited>()("AddressLimited", {
  waitSeconds: Schema.Finite
}) {}

export interface VerificationOptions {
  /** Failed verifications a minute from one address, from which on it has to wait; null for no limit. */
  readonly failedKeysPerMinute: number | null
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<Network>
}

/** Who calls, within what the caller's address may try. */
export class Verification extends Context.Service<Verification, {
  /**
   * Verifies the key of the request that is answered. An address whose keys have failed too often has to wait
   * before its next unknown key reaches the key store; a key that is known to be good passes always.
   */
  readonly verify: (
    key: Redacted.Redacted<string>
  ) => Effect.Effect<
    KeyHolder,
    KeyRejected | KeysUnavailable | AddressLimited,
    HttpServerRequest.HttpServerRequest
  >
}>()("sextant/http/limits/Verification") {}

const limited = Effect.fnUntraced(function*(
  keys: Keys["Service"],
  limit: number,
  trusted: ReadonlyArray<Network>
) {
  const { failedKeysWindowSeconds, placesMax } = limitSettings
  const failed = makeFailedKeys({ limit, windowMs: failedKeysWindowSeconds * 1_000, placesMax })
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "failed_keys" }), failed.size)
  const countFailure = Effect.fnUntraced(function*(place: string) {
    if (!failed.count(place, yield* monotonicMs)) return
    yield* Effect.logWarning(`${limit} keys from ${place} have failed within a minute: until it is over, `
      + "unknown keys from there are answered 429 without being looked up")
  })
  return Effect.fnUntraced(function*(key: Redacted.Redacted<string>) {
    // No key is no guess.
    if (Redacted.value(key) === "" || (yield* keys.isKnown(key))) return yield* keys.verify(key)
    const request = yield* HttpServerRequest.HttpServerRequest
    const peer = Option.getOrUndefined(request.remoteAddress)
    const place = placeOfCaller(peer, request.headers["x-forwarded-for"], trusted)
    const waitMs = failed.waitMs(place, yield* monotonicMs)
    if (waitMs > 0) return yield* new AddressLimited({ waitSeconds: waitMs / 1_000 })
    return yield* Effect.tapErrorTag(keys.verify(key), "KeyRejected", () => countFailure(place))
  })
})

/** Over the account keys; without options there is no limit. */
export const layer = (options?: VerificationOptions) =>
  Layer.effect(
    Verification,
    Effect.gen(function*() {
      const keys = yield* Keys
      const { failedKeysPerMinute = null, trustedProxies = [] } = options ?? {}
      const verify = failedKeysPerMinute === null
        ? keys.verify
        : yield* limited(keys, failedKeysPerMinute, trustedProxies)
      return { verify }
    })
  )
