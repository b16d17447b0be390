import { Context, Effect, Layer, type Redacted } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import {
  Authorization, AuthorizationIfVerifiable, CallerIfVerifiable, CurrentCaller, NeededRight
} from "../api/Authorization.ts"
import { Forbidden, Unauthorized } from "../api/Problems.ts"
import { holds, rolesWith } from "../domain/Role.ts"
import { type CallerKey, CurrentCallerKey } from "../accounts/CallerKey.ts"
import type { KeyHolder } from "../accounts/Keys.ts"
import type { Caller } from "../domain/Scope.ts"
import { purposeOf } from "./limits/Admission.ts"
import { admitting, tooMany } from "./limits/Admitting.ts"
import { unavailable } from "./limits/Retry.ts"
import { Verification } from "./limits/Verification.ts"

/** Fails for a key whose role lacks the right that the endpoint declares. */
const entitled = ({ role }: KeyHolder, { annotations, method, path }: HttpApiEndpoint.Top) => {
  const right = Context.get(annotations, NeededRight)
  if (holds(role, right)) return Effect.void
  const roles = rolesWith(right).join(" or ")
  return Effect.fail(new Forbidden({
    detail: `${method} ${path} needs a key of the role ${roles}; the role of this one is ${role}`
  }))
}

/** Who calls with this key, if it is good and may call this endpoint. */
const verifying = Effect.gen(function*() {
  const { verify } = yield* Verification
  return (credential: Redacted.Redacted<string>, endpoint: HttpApiEndpoint.Top) =>
    verify(credential).pipe(
      Effect.tap((holder) => entitled(holder, endpoint)),
      Effect.catchTags({
        KeyRejected: () => Effect.fail(new Unauthorized({ detail: "The API key is missing or invalid" })),
        AddressLimited: ({ waitSeconds }) =>
          tooMany(waitSeconds, "Too many keys from this address have failed; this one was not looked up")
      })
    )
})

/** Provides the key of the request to the drivers of a memory that verifies keys on its own. */
const withKey = ({ accountId, key }: CallerKey) => Effect.provideService(CurrentCallerKey, { accountId, key })

const callerOf = ({ accountId, remainingMs, role }: KeyHolder): Caller => ({ accountId, remainingMs, role })

type Admit = ReturnType<typeof admittingCaller>

/** Whoever cannot be told apart shares one account's share. */
const admittingCaller = (admit: Effect.Success<ReturnType<typeof admitting>>) =>
  (caller: Caller | null, { path }: HttpApiEndpoint.Top) => admit(caller?.accountId ?? "", purposeOf(path))

const strict = (admit: Admit) =>
  Layer.effect(Authorization, Effect.map(verifying, (verified) => ({
    bearer: (httpEffect, { credential, endpoint }) =>
      verified(credential, endpoint).pipe(
        Effect.catchTag("KeysUnavailable", unavailable("Key verification")),
        Effect.flatMap((holder) =>
          admit(holder, endpoint)(
            Effect.provideService(httpEffect, CurrentCaller, callerOf(holder)).pipe(withKey(holder))
          ))
      )
  })))

const lenient = (admit: Admit) =>
  Layer.effect(AuthorizationIfVerifiable, Effect.map(verifying, (verified) => ({
    bearer: (httpEffect, { credential, endpoint }) =>
      verified(credential, endpoint).pipe(
        Effect.catchTag("KeysUnavailable", (cause) =>
          Effect.as(Effect.logWarning("Key verification is unavailable", cause), null)),
        Effect.flatMap((holder) =>
          admit(holder, endpoint)(
            holder === null
              ? Effect.provideService(httpEffect, CallerIfVerifiable, null)
              : Effect.provideService(httpEffect, CallerIfVerifiable, callerOf(holder)).pipe(withKey(holder))
          ))
      )
  })))

/** Both authorizations; they share one quota per account, in units per minute, null for none. */
export const layer = (rateLimitPerMinute: number | null) =>
  Layer.unwrap(Effect.map(Effect.map(admitting(rateLimitPerMinute), admittingCaller), (admit) =>
    Layer.mergeAll(strict(admit), lenient(admit))))
