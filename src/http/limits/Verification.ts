/* Verifies keys, and blocks addresses whose keys fail too often. */
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { type KeyHolder, type KeyRejected, Keys, KeysUnavailable } from "../../accounts/Keys.ts"
import { monotonicMs } from "../../domain/Time.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { gauged, meters } from "../../telemetry/Metrics.ts"
import { attribute } from "../../telemetry/SemanticConventions.ts"
import type { ReadinessState } from "../Readiness.ts"
import { type Network, placeOfCaller } from "./Addresses.ts"
import { makeFailedKeys } from "./FailedKeys.ts"
import { limitSettings } from "./LimitSettings.ts"

/** Too many keys from the caller's address have failed, so this key was not verified. */
export class AddressLimited extends Schema.TaggedError<AddressLimited>()("AddressLimited", {
  waitSeconds: Schema.Finite
}) {}

export interface VerificationOptions {
  /** Failed keys per minute after which an address is blocked; null means that there is no limit. */
  readonly failedKeysPerMinute: number | null
  /** Proxies whose `X-Forwarded-For` header is trusted. */
  readonly trustedProxies: ReadonlyArray<Network>
}

export class KeyVerification extends Context.Service<KeyVerification, {
  /** While an address is blocked, only keys that are known to be valid are accepted from it. */
  readonly verify: (
    key: Redacted.Redacted<string>
  ) => Effect.Effect<
    KeyHolder,
    KeyRejected | KeysUnavailable | AddressLimited,
    HttpServerRequest.HttpServerRequest
  >
}>()("sextant/http/limits/Verification") {}

/** Turns the rejection of a key into an outage while `state` is `starting`, when keys may be unregistered. */
const awaitingKeys = (keys: Keys["Service"], state: Effect.Effect<ReadinessState>): Keys["Service"] => {
  const reason = new Reason.NotSent({ cause: "the keys are not registered yet" })
  return {
    ...keys,
    verify: (key) =>
      Effect.flatMap(state, (now) =>
        now !== "starting" || Redacted.value(key) === ""
          ? keys.verify(key)
          : Effect.catchTag(keys.verify(key), "KeyRejected", () => new KeysUnavailable({ reason })))
  }
}

const makeLimitedVerify = Effect.fnUntraced(function*(
  keys: Keys["Service"],
  limit: number,
  trusted: ReadonlyArray<Network>
) {
  const { failedKeysWindowSeconds, placesMax } = limitSettings
  const failed = makeFailedKeys({ limit, windowMs: failedKeysWindowSeconds * 1_000, placesMax })
  yield* gauged(meters.cacheEntries({ [attribute.cache]: "failed_keys" }), failed.size)
  const countFailure = Effect.fnUntraced(function*(place: string) {
    if (!failed.count(place, yield* monotonicMs)) return
    yield* Effect.logWarning(`${limit} keys from ${place} have failed within a minute: for the rest of the `
      + "minute, unknown keys from this address are answered with 429")
  })
  return Effect.fnUntraced(function*(key: Redacted.Redacted<string>) {
    // A request without a key is not counted as a failed key.
    if (Redacted.value(key) === "" || (yield* keys.isKnown(key))) return yield* keys.verify(key)
    const request = yield* HttpServerRequest.HttpServerRequest
    const peer = Option.getOrUndefined(request.remoteAddress)
    const place = placeOfCaller(peer, request.headers["x-forwarded-for"], trusted)
    const waitMs = failed.waitMs(place, yield* monotonicMs)
    if (waitMs > 0) return yield* new AddressLimited({ waitSeconds: waitMs / 1_000 })
    return yield* Effect.tapErrorTag(keys.verify(key), "KeyRejected", () => countFailure(place))
  })
})

/** If `options` is absent, failed keys block no address. `state` is the readiness of the process. */
export const layer = (
  options?: VerificationOptions,
  state: Effect.Effect<ReadinessState> = Effect.succeed("ready")
) =>
  Layer.effect(
    KeyVerification,
    Effect.gen(function*() {
      const keys = awaitingKeys(yield* Keys, state)
      const { failedKeysPerMinute = null, trustedProxies = [] } = options ?? {}
      const verify = failedKeysPerMinute === null
        ? keys.verify
        : yield* makeLimitedVerify(keys, failedKeysPerMinute, trustedProxies)
      const { remembered } = keys
      if (remembered === undefined) return { verify }
      return {
        verify: (key: Redacted.Redacted<string>) =>
          Effect.flatMap(remembered(key), (holder) => holder === null ? verify(key) : Effect.succeed(holder))
      }
    })
  )
