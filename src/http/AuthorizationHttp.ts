import { Effect, Layer, type Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import {
  Authorization, AuthorizationIfVerifiable, CallerIfVerifiable, CurrentCaller
} from "../api/Authorization.ts"
import { ServiceUnavailable, TooManyRequests, Unauthorized } from "../api/Problems.ts"
import type { Caller } from "../domain/Scope.ts"
import { monotonicMs } from "../domain/Time.ts"
import { Keys } from "../keys/Keys.ts"
import { Admissions, type Purpose, purposeOf } from "./Admission.ts"
import { limitSettings } from "./LimitSettings.ts"
import { makeQuota } from "./Quota.ts"
import { overloaded, retryAfter, unavailable } from "./Retry.ts"

const { feedbackFactor, quotasMax, retryAfterSeconds, windowSeconds } = limitSettings

const verifying = Effect.gen(function*() {
  const keys = yield* Keys
  return (credential: Redacted.Redacted<string>) =>
    keys.verify(credential).pipe(
      Effect.catchTag("KeyRejected", () =>
        Effect.fail(new Unauthorized({ detail: "The API key is missing or invalid" })))
    )
})

const tooMany = (seconds: number, detail: string) =>
  Effect.andThen(retryAfter(seconds), Effect.fail(new TooManyRequests({ detail })))

/** Says on whatever this request is answered how much of a quota is left, in the fields of draft 10. */
const telling = (name: string, limit: number, remaining: number, resetSeconds: number) =>
  HttpEffect.appendPreResponseHandler((_request, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, {
      "ratelimit-policy": `"${name}";q=${limit};w=${windowSeconds}`,
      "ratelimit": `"${name}";r=${remaining};t=${resetSeconds}`
    }))
  )

/** Spends one of the account's requests of this minute, feedback from a larger quota of its own. */
const makeSpend = (limitPerMinute: number) => {
  const quotaOf = (limit: number) => ({
    limit,
    count: makeQuota({ limit, windowSeconds, keysMax: quotasMax })
  })
  const requests = quotaOf(limitPerMinute)
  const feedback = quotaOf(limitPerMinute * feedbackFactor)
  return Effect.fnUntraced(function*(account: string, purpose: Purpose) {
    const [name, { count, limit }] = purpose === "feedback" ? ["feedback", feedback] : ["requests", requests]
    const counted = count(account, yield* monotonicMs)
    yield* telling(name, limit, counted.remaining, counted.resetSeconds)
    if (counted.isAllowed) return
    yield* tooMany(counted.retrySeconds, `The account's ${name} for this minute are used up`)
  })
}

/** Runs what answers a request within its account's quota and share; a null limit means no quota. */
const admitting = (limitPerMinute: number | null) =>
  Effect.map(Admissions, (admissions) => {
    const spend = limitPerMinute === null ? () => Effect.void : makeSpend(limitPerMinute)
    return (caller: Caller | null) => <A, E, R>(httpEffect: Effect.Effect<A, E, R>) =>
      Effect.gen(function*() {
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const purpose = purposeOf(url)
        // Whoever cannot be told apart shares one account's share.
        const account = caller?.accountId ?? ""
        yield* spend(account, purpose)
        const refusal = admissions.enter(account, purpose)
        if (refusal === null) {
          return yield* Effect.ensuring(httpEffect, Effect.sync(() => admissions.leave(account, purpose)))
        }
        if (refusal === "account") {
          return yield* tooMany(retryAfterSeconds, "The account has too many requests under way")
        }
        yield* retryAfter(retryAfterSeconds)
        return yield* new ServiceUnavailable({ detail: overloaded })
      })
  })

type Admit = Effect.Success<ReturnType<typeof admitting>>

const strict = (admit: Admit) =>
  Layer.effect(Authorization, Effect.map(verifying, (verified) => ({
    bearer: (httpEffect, { credential }) =>
      verified(credential).pipe(
        Effect.catchTag("KeysUnavailable", unavailable("Key verification")),
        Effect.flatMap((caller) =>
          admit(caller)(Effect.provideService(httpEffect, CurrentCaller, caller)))
      )
  })))

const lenient = (admit: Admit) =>
  Layer.effect(AuthorizationIfVerifiable, Effect.map(verifying, (verified) => ({
    bearer: (httpEffect, { credential }) =>
      verified(credential).pipe(
        Effect.catchTag("KeysUnavailable", (cause) =>
          Effect.as(Effect.logWarning("Key verification is unavailable", cause), null)),
        Effect.flatMap((caller) =>
          admit(caller)(Effect.provideService(httpEffect, CallerIfVerifiable, caller)))
      )
  })))

/** Both authorizations; they share one quota per account, in requests per minute, null for none. */
export const layer = (rateLimitPerMinute: number | null) =>
  Layer.unwrap(Effect.map(admitting(rateLimitPerMinute), (admit) =>
    Layer.mergeAll(strict(admit), lenient(admit))))
