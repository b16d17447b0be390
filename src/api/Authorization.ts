import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Caller } from "../domain/Scope.ts"
import { ServiceUnavailable, TooManyRequests, Unauthorized } from "./Problems.ts"

/** Who calls, once the key was verified. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("sextant/api/CurrentCaller") {}

/** Who calls, or null when the key could not be verified because its store is out. */
export class CallerIfVerifiable extends Context.Service<CallerIfVerifiable, Caller | null>()(
  "sextant/api/CallerIfVerifiable"
) {}

const security = { bearer: HttpApiSecurity.bearer }

/** A verified bearer key: 401 when verified bad, 503 when its store is out. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentCaller }>()(
  "sextant/api/Authorization",
  { security, error: [Unauthorized, TooManyRequests, ServiceUnavailable] }
) {}

/** As {@link Authorization}, for the endpoints that answer empty in an outage; 503 is overload alone. */
export class AuthorizationIfVerifiable
  extends HttpApiMiddleware.Service<AuthorizationIfVerifiable, { provides: CallerIfVerifiable }>()(
    "sextant/api/AuthorizationIfVerifiable",
    { security, error: [Unauthorized, TooManyRequests, ServiceUnavailable] }
  )
{}
