import { Context, Effect, Layer, type Redacted } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import {
  Authorization, AuthorizationIfVerifiable, CallerIfVerifiable, CurrentCaller, NeededRight
} from "../api/Authorization.ts"
import { Forbidden, Unauthorized } from "../api/Problems.ts"
import { holds, rolesWith } from "../domain/Role.ts"
import type { Caller, KeyHolder } from "../domain/Scope.ts"
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

type Admit = ReturnType<typeof admittingCaller>

/** Whoever cannot be told apart shares one account's share. */
const admittingCaller = (admit: Effect.Success<ReturnType<typeof admitting>>) =>
  (caller: Caller | null, { path }: HttpApiEndpoint.Top) => admit(caller?.accountId ?? "", purposeOf(path))

const strict = (admit: Admit) =>
  Layer.effect(Authorization, Effect.map(verifying, (verified) => ({
    bearer: (httpEffect, { credential, endpoint }) =>
      verified(credential, endpoint).pipe(
        Effect.catchTag("KeysUnavailable", unavailable("Key verification")),
        Effect.flatMap((caller) =>
          admit(caller, endpoint)(Effect.provideService(httpEffect, CurrentCaller, caller)))
      )
  })))

const lenient = (admit: Admit) =>
  Layer.effect(AuthorizationIfVerifiable, Effect.map(verifying, (verified) => ({
    bearer: (httpEffect, { credential, endpoint }) =>
      verified(credential, endpoint).pipe(
        Effect.catchTag("KeysUnavailable", (cause) =>
          Effect.as(Effect.logWarning("Key verification is unavailable", cause), null)),
        Effect.flatMap((caller) =>
          admit(caller, endpoint)(Effect.provideService(httpEffect, CallerIfVerifiable, caller)))
      )
  })))

/** Both authorizations; they share one quota per account, in units per minute, null for none. */
export const layer = (rateLimitPerMinute: number | null) =>
  Layer.unwrap(Effect.map(Effect.map(admitting(rateLimitPerMinute), admittingCaller), (admit) =>
    Layer.mergeAll(strict(admit), lenient(admit))))
