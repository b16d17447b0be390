/* Authorizes requests: verifies the key, checks its role's right, and admits the request for its account. */
import { Context, Effect, Layer, type Redacted } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { type CallerKey, CurrentCallerKey } from "../accounts/CallerKey.ts"
import type { KeyHolder } from "../accounts/Keys.ts"
import {
  Authorization, AuthorizationIfVerifiable, CallerIfVerifiable, CurrentCaller, NeededRight
} from "../api/Authorization.ts"
import { Forbidden, Unauthorized } from "../api/Problems.ts"
import { holds, rolesWith } from "../domain/account/Role.ts"
import type { Caller } from "../domain/Scope.ts"
import { purposeOf } from "./limits/Admission.ts"
import { admitting, tooMany } from "./limits/Admitting.ts"
import { unavailable } from "./limits/Retry.ts"
import { KeyVerification } from "./limits/Verification.ts"

const requireRight = ({ role }: KeyHolder, { annotations, method, path }: HttpApiEndpoint.Top) => {
  const right = Context.get(annotations, NeededRight)
  if (holds(role, right)) return Effect.void
  const roles = rolesWith(right).join(" or ")
  return Effect.fail(new Forbidden({
    detail: `${method} ${path} needs a key of the role ${roles}; the role of this one is ${role}`
  }))
}

const makeVerify = Effect.gen(function*() {
  const { verify } = yield* KeyVerification
  return (credential: Redacted.Redacted<string>, endpoint: HttpApiEndpoint.Top) =>
    verify(credential).pipe(
      Effect.tap((holder) => requireRight(holder, endpoint)),
      Effect.catchTags({
        KeyRejected: () => Effect.fail(new Unauthorized({ detail: "The API key is missing or invalid" })),
        AddressLimited: ({ waitSeconds }) =>
          tooMany(waitSeconds, "Too many keys from this address have failed; this key was not checked")
      })
    )
})

/** Provides the caller's API key, which an external memory verifies by itself. */
const withKey = ({ accountId, key }: CallerKey) => Effect.provideService(CurrentCallerKey, { accountId, key })

const callerOf = ({ accountId, remainingMs, role }: KeyHolder): Caller => ({ accountId, remainingMs, role })

type Admit = ReturnType<typeof makeAdmit>

/** Admits requests by account. In an outage, callers with unverified keys share one account's limits. */
const makeAdmit = (admit: Effect.Success<ReturnType<typeof admitting>>) =>
  (caller: Caller | null, { path }: HttpApiEndpoint.Top) => admit(caller?.accountId ?? "", purposeOf(path))

const authorization = (admit: Admit) =>
  Layer.effect(Authorization, Effect.map(makeVerify, (verified) => ({
    bearer: (httpEffect, { credential, endpoint }) =>
      verified(credential, endpoint).pipe(
        Effect.catchTag("KeysUnavailable", unavailable("Key verification")),
        Effect.flatMap((holder) =>
          admit(holder, endpoint)(
            Effect.provideService(httpEffect, CurrentCaller, callerOf(holder)).pipe(withKey(holder))
          ))
      )
  })))

const authorizationIfVerifiable = (admit: Admit) =>
  Layer.effect(AuthorizationIfVerifiable, Effect.map(makeVerify, (verified) => ({
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

/** Provides the authorization. The quota is in units per minute and account; null means no quota. */
export const layer = (rateLimitPerMinute: number | null) =>
  Layer.unwrap(Effect.map(Effect.map(admitting(rateLimitPerMinute), makeAdmit), (admit) =>
    Layer.mergeAll(authorization(admit), authorizationIfVerifiable(admit))))
