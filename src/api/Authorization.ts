/* Authorization by bearer keys: declares the right that each endpoint needs, and gives handlers the
   caller. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Right } from "../domain/account/Role.ts"
import type { Caller } from "../domain/Scope.ts"
import { Forbidden, ServiceUnavailable, TooManyRequests, Unauthorized } from "./Problems.ts"

/**
 * The right that an endpoint requires of a key. The default is the highest right, so that a forgotten
 * declaration refuses callers instead of admitting them. A test finds endpoints that declare no right.
 */
export const NeededRight = Context.Reference<Right>("sextant/api/Authorization/NeededRight", {
  defaultValue: () => "admin"
})

/** The caller. The caller's key was verified and has the required right. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()(
  "sextant/api/Authorization/CurrentCaller"
) {}

/** The caller; null if the store of keys is unavailable. */
export class CallerIfVerifiable extends Context.Service<CallerIfVerifiable, Caller | null>()(
  "sextant/api/Authorization/CallerIfVerifiable"
) {}

const security = { bearer: HttpApiSecurity.bearer }

/**
 * Verifies a bearer key. Answers 401 if it is invalid, 403 without the `NeededRight`, 503 if the store is
 * unavailable.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentCaller }>()(
  "sextant/api/Authorization",
  { security, error: [Unauthorized, Forbidden, TooManyRequests, ServiceUnavailable] }
) {}

/**
 * Like {@link Authorization}, for endpoints that answer with empty data during an outage. From these
 * endpoints, 503 always means overload.
 */
export class AuthorizationIfVerifiable
  extends HttpApiMiddleware.Service<AuthorizationIfVerifiable, { provides: CallerIfVerifiable }>()(
    "sextant/api/Authorization/AuthorizationIfVerifiable",
    { security, error: [Unauthorized, Forbidden, TooManyRequests, ServiceUnavailable] }
  )
{}
