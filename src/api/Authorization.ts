/* Authorization by bearer keys: the right that each endpoint needs, and the caller of a request. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Right } from "../domain/account/Role.ts"
import type { Caller } from "../domain/Scope.ts"
import { Forbidden, ServiceUnavailable, TooManyRequests, Unauthorized } from "./Problems.ts"

/** The default is the highest right, so that a forgotten declaration refuses callers. */
export const NeededRight = Context.Reference<Right>("sextant/api/Authorization/NeededRight", {
  defaultValue: () => "admin"
})

/** The caller's key was verified and has the required right. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()(
  "sextant/api/Authorization/CurrentCaller"
) {}

export class CallerIfVerifiable extends Context.Service<CallerIfVerifiable, Caller | null>()(
  "sextant/api/Authorization/CallerIfVerifiable"
) {}

const security = { bearer: HttpApiSecurity.bearer }

/** Answers 401 if the key is invalid, 403 without the `NeededRight`, 503 if the key cannot be checked. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentCaller }>()(
  "sextant/api/Authorization",
  { security, error: [Unauthorized, Forbidden, TooManyRequests, ServiceUnavailable] }
) {}

/** Like {@link Authorization}, but gives a null caller instead of 503 if the key cannot be checked. */
export class AuthorizationIfVerifiable
  extends HttpApiMiddleware.Service<AuthorizationIfVerifiable, { provides: CallerIfVerifiable }>()(
    "sextant/api/Authorization/AuthorizationIfVerifiable",
    { security, error: [Unauthorized, Forbidden, TooManyRequests, ServiceUnavailable] }
  )
{}
