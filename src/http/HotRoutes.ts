/*
 * Answers the two busiest routes, `POST /v1/recommend` and `POST /v1/feedback`, before the general router.
 * Both ways have the same middleware, authorization, admission, body checks and handlers, and follow the
 * schemas of the endpoint; what differs is how the body is decoded. A request in an unusual form is left to
 * the router.
 */
import { Context, Effect, type Redacted, Schema, Tracer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"
import type { unhandled } from "effect/Types"
import { Authorization, type CurrentCaller } from "../api/Authorization.ts"
import { InvalidRequest } from "../api/Problems.ts"
import type { FeedbackRequest, FeedbackResponse } from "../domain/Feedback.ts"
import type { RecommendRequest } from "../domain/Recommendation.ts"
import { wireDecoder } from "../domain/wire/WireDecoding.ts"
import { wireEncoder } from "../domain/wire/WireEncoding.ts"
import { Learner } from "../engine/Learner.ts"
import { Recommender } from "../engine/Recommender.ts"
import { type Defined, payloadOf, successOf } from "./Endpoints.ts"
import * as FeedbackHttp from "./FeedbackHttp.ts"
import type { Request, Response, Within } from "./limits/Limits.ts"
import * as RecommendHttp from "./RecommendHttp.ts"
import { unknownFieldWarnings, type WithWarnings } from "./UnknownFields.ts"
import { invalid } from "./ValidationHttp.ts"

/** Every failure of an answer is rendered by the middleware around it. */
type Answer<R> = Effect.Effect<Response, unhandled, R>

/** The schema of a body that needs nothing to be decoded. */
type Payload<P> = Schema.ConstraintCodec<P, unknown>

const json = "application/json"

/** Whether the body is JSON beyond doubt; HttpApi reads a body without a type as JSON. */
const isJson = ({ headers }: Request): boolean => (headers["content-type"] ?? json) === json

/** The refusal of a body that is no JSON, in the words of HttpApi. */
const notJson = new InvalidRequest({ detail: "Expected a valid JSON body" })

/** The value of a body's text; an empty one counts as left out. */
const parsed = (text: string): Effect.Effect<unknown, InvalidRequest> => {
  try {
    return Effect.succeed(text === "" ? undefined : JSON.parse(text))
  } catch {
    return Effect.fail(notJson)
  }
}

/** Decodes a body of the endpoint; where the quick decoder declines, its schema decodes or refuses it. */
const makeDecode = <P>(schema: Payload<P>) => {
  const quick = wireDecoder(schema)
  const bySchema = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (body: unknown): Effect.Effect<P, InvalidRequest> => {
    const payload = quick(body)
    return payload === undefined
      ? Effect.mapError(bySchema(body), ({ issue }) => invalid(issue))
      : Effect.succeed(payload)
  }
}

/** Reads the body of the current request, and answers it by `handle`. */
const makeHandler = <P, E>(
  defined: Defined,
  handle: (payload: P, withWarnings: WithWarnings) => Effect.Effect<Response, E, CurrentCaller | Request>
): Answer<CurrentCaller> => {
  const schema = payloadOf<Payload<P>>(defined)
  const decode = makeDecode(schema)
  const notes = unknownFieldWarnings(schema)
  const answer = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) =>
    Effect.flatMap(text, (sent) =>
      Effect.flatMap(parsed(sent), (body) =>
        Effect.flatMap(decode(body), (payload) =>
          Effect.flatMap(notes(body), (withWarnings) => handle(payload, withWarnings))))))
  // The server provides the request, and the middleware renders every failure.
  return answer as Answer<CurrentCaller>
}

/** The bearer key of the current request, empty where it has none; only its headers are read. */
const bearer = HttpApiBuilder.securityDecode(HttpApiSecurity.bearer) as Effect.Effect<
  Redacted.Redacted<string>, never, Request
>

/** Adds the route to the span of a request that is traced, as the router does. */
const annotateRoute = (path: string): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer) return Effect.void
    const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
    if (span?._tag === "Span" && span.sampled) span.attribute("http.route", path)
    return Effect.void
  })

/** Answers requests of the two routes whose form is plain, and all others by the general router. */
export const make = Effect.gen(function*() {
  const authorization = yield* Authorization
  const recommender = yield* Recommender
  const learner = yield* Learner
  const authorized = (defined: Defined, handler: Answer<CurrentCaller>) => {
    const answer = Effect.flatMap(bearer, (credential) =>
      authorization.bearer(handler, { ...defined, credential }))
    const { path } = defined.endpoint
    const answered = Effect.interruptible(Effect.andThen(annotateRoute(path), answer))
    return [path, answered as Answer<Request>] as const
  }
  const [ofRecommend, ofFeedback] = [RecommendHttp.defined, FeedbackHttp.defined]
  const encodeFeedback = wireEncoder(successOf<typeof FeedbackResponse>(ofFeedback))
  const routes = new Map([
    authorized(ofRecommend, makeHandler(ofRecommend, (payload: RecommendRequest, withWarnings) =>
      RecommendHttp.recommendation(recommender, payload, withWarnings))),
    authorized(ofFeedback, makeHandler(ofFeedback, (payload: FeedbackRequest, withWarnings) =>
      Effect.map(FeedbackHttp.learned(learner, payload, withWarnings), (response) =>
        HttpServerResponse.jsonUnsafe(encodeFeedback(response)))))
  ])
  const within: Within = <R>(general: Answer<R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Answer<R | Request> => {
      const hot = request.method === "POST" ? routes.get(request.url) : undefined
      return hot === undefined || !isJson(request) ? general : hot
    })
  return within
})
