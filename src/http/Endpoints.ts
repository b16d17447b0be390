/* Routes every endpoint of an API to its handler, behind the authorization that the endpoint declares. */
import { Context, Effect, type Layer, type Redacted } from "effect"
import { HttpRouter } from "effect/http"
import {
  HttpApi, HttpApiBuilder, type HttpApiEndpoint, type HttpApiGroup, HttpApiSecurity
} from "effect/http-api"
import type { unhandled } from "effect/Types"
import { Authorization, AuthorizationIfVerifiable } from "../api/Authorization.ts"
import { Validation } from "../api/Validation.ts"
import { answering, type EndpointCall } from "./EndpointSchemas.ts"
import type { Response } from "./limits/Limits.ts"
import type { Warned } from "./body/UnknownFields.ts"

export type Handlers<Group> = {
  readonly [Endpoint in HttpApiGroup.Endpoints<Group> as HttpApiEndpoint.Identifier<Endpoint>]: (
    asked: Omit<HttpApiEndpoint.Request<Endpoint>, "group">
  ) => Effect.Effect<
    HttpApiEndpoint.Success<Endpoint>["Type"],
    HttpApiEndpoint.Errors<Endpoint>,
    HttpApiEndpoint.MiddlewareProvides<Endpoint> | HttpRouter.Provided
  >
}

type HandlersByGroup<Groups extends HttpApiGroup.Constraint> = {
  readonly [Group in Groups as HttpApiGroup.Identifier<Group>]: Effect.Effect<Handlers<Group>, never, unknown>
}

type Handler = (asked: EndpointCall) => Effect.Effect<Warned, unhandled>
type AnyHandlers<R> = Readonly<Record<string, Effect.Effect<Readonly<Record<string, Handler>>, never, R>>>

/** An answer. The middleware around all routes turns a failure into a response. */
type Answer = Effect.Effect<Response, unhandled>

/** The bearer key of the current request; an empty text if the request has none. */
export const bearer = HttpApiBuilder.securityDecode(HttpApiSecurity.bearer) as Effect.Effect<
  Redacted.Redacted<string>
>

/**
 * Makes the function that authorizes a request before its answer is computed. Throws if an endpoint has a
 * middleware other than authorization and `Validation`.
 */
export const makeAuthorize = Effect.gen(function*() {
  const always = yield* Authorization
  const ifVerifiable = yield* AuthorizationIfVerifiable
  return (endpoint: HttpApiEndpoint.Top, group: HttpApiGroup.Top, answer: Answer): Answer =>
    // The middleware `Validation` is not run: it only documents that an invalid request is refused.
    [...endpoint.middlewares].filter((key) => key !== Validation).reduce((inner, key) => {
      const own = key === Authorization ? always : key === AuthorizationIfVerifiable ? ifVerifiable : null
      if (own === null) throw new Error(`${endpoint.identifier} has a middleware that no route has`)
      return Effect.flatMap(bearer, (credential) =>
        own.bearer(inner, { endpoint, group, credential })) as Answer
    }, answer)
})

export const layer = <
  Id extends string, Groups extends HttpApiGroup.Constraint, const Own extends HandlersByGroup<Groups>
>(api: HttpApi.HttpApi<Id, Groups>, handlers: Own): Layer.Layer<
  never, never,
  Effect.Services<Own[keyof Own]> | Authorization | AuthorizationIfVerifiable | HttpRouter.HttpRouter
> => HttpRouter.use(Effect.fnUntraced(function*(router) {
  const authorize = yield* makeAuthorize
  const options = Context.getOrUndefined(api.annotations, HttpApi.ParseOptions)
  // The type `Handlers` has already checked the handlers of each group.
  const anyHandlers = handlers as unknown as AnyHandlers<Effect.Services<Own[keyof Own]>>
  for (const group of Object.values<HttpApiGroup.Top>(Object(api.groups))) {
    const own = yield* anyHandlers[group.identifier]!
    for (const endpoint of Object.values(group.endpoints)) {
      const answer = answering(endpoint, own[endpoint.identifier]!, options) as Answer
      const answered = authorize(endpoint, group, answer) as Effect.Effect<Response>
      yield* router.add(endpoint.method as "GET", endpoint.path as "/", answered)
    }
  }
}))
