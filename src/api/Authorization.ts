/* Bearer keys: the right that each endpoint needs, and the caller that handlers get. */
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Right } from "../domain/account/Role.ts"
import type { Caller } from "../domain/Scope.ts"
import { Forbidden, ServiceUnavailable, TooManyRequests, Unauthorized } from "./Problems.ts"

/**
 * The right that an endpoint needs of the key it is called with. An endpoint that declares none needs the
 * highest, so that a forgotten declaration refuses callers rather than admitting them; a test finds it.
 */
export const NeededRight = Context.Reference<Right>("sextant/api/Authorization/NeededRight", {
  defaultValue: () => "admin"
})

/** The caller, whose key was verified and has the right that the endpoint needs. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()(
  "sextant/api/Authorization/CurrentCaller"
) {}

/** The caller; null when the key could not be verified because its store is unavailable. */
export class CallerIfVerifiable extends Context.Service<CallerIfVerifiable, Caller | null>()(
  "sextant/api/Authorization/CallerIfVerifiable"
) {}

const security = { bearer: HttpApiSecurity.bearer }

/**
 * Verifies a bearer key: 401 when it is invalid, 403 without the `NeededRight`, 503 when its store is down.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentCaller }>()(
  "sextant/api/Authorization",
  { security, error: [Unauthorized, Forbidden, TooManyRequests, ServiceUnavailable] }
) {}

/** As {@link Authorization}, for endpoints that answer empty during an outage; 503 means overload only. */
export class AuthorizationIfVerifiable
  extends HttpApiMiddleware.Service<AuthorizationIfVerifiable, { provides: CallerIfVerifiable }>()(
    "sextant/api/Authorization/AuthorizationIfVerifiable",
    { security, error: [Unauthorized, Forbidden, TooManyRequests, ServiceUnavailable] }
  )
{}
