import { Duration, Effect, Layer, type Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import {
  Authorization, AuthorizationIfVerifiable, CallerIfVerifiable, CurrentCaller
} from "../api/Authorization.ts"
import { TooManyRequests, Unauthorized } from "../api/Problems.ts"
import type { Caller } from "../domain/Scope.ts"
import { Keys } from "../keys/Keys.ts"
import { retryAfter, unavailable } from "./Retry.ts"

const limited = (seconds: number) =>
  Effect.andThen(
    retryAfter(seconds),
    Effect.fail(new TooManyRequests({ detail: "The account's requests for this minute are used up" }))
  )

/** Spends one of the account's requests of this minute; a null limit means no quota. */
const spend = (limiter: RateLimiter.RateLimiter, limit: number | null) => (caller: Caller) =>
  limit === null ? Effect.void : limiter.consume({
    key: caller.accountId,
    algorithm: "token-bucket",
    limit,
    window: "1 minute"
  }).pipe(
    Effect.asVoid,
    Effect.catch(({ reason }) =>
      reason._tag === "RateLimitExceeded"
        ? limited(Duration.toSeconds(reason.retryAfter))
        // A quota that cannot be counted is not held against the caller.
        : Effect.logWarning("Quota not counted", reason)
    )
  )

const check = (limit: number | null) =>
  Effect.gen(function*() {
    const keys = yield* Keys
    const spendOne = spend(yield* RateLimiter.RateLimiter, limit)
    return (credential: Redacted.Redacted<string>) =>
      keys.verify(credential).pipe(
        Effect.catchTag("KeyRejected", () =>
          Effect.fail(new Unauthorized({ detail: "The API key is missing or invalid" }))),
        Effect.tap(spendOne)
      )
  })

const strict = (limit: number | null) =>
  Layer.effect(Authorization, Effect.map(check(limit), (verified) => ({
    bearer: (httpEffect, { credential }) =>
      verified(credential).pipe(
        Effect.catchTag("KeysUnavailable", unavailable("Key verification")),
        Effect.flatMap((caller) => Effect.provideService(httpEffect, CurrentCaller, caller))
      )
  })))

const lenient = (limit: number | null) =>
  Layer.effect(AuthorizationIfVerifiable, Effect.map(check(limit), (verified) => ({
    bearer: (httpEffect, { credential }) =>
      verified(credential).pipe(
        Effect.catchTag("KeysUnavailable", (cause) =>
          Effect.as(Effect.logWarning("Key verification is unavailable", cause), null)),
        Effect.flatMap((caller) => Effect.provideService(httpEffect, CallerIfVerifiable, caller))
      )
  })))

/** Both authorizations; they share one quota per account, in requests per minute, null for none. */
export const layer = (rateLimitPerMinute: number | null) =>
  Layer.mergeAll(strict(rateLimitPerMinute), lenient(rateLimitPerMinute)).pipe(
    Layer.provide(RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory)))
  )
