/* Reads requests and writes answers, by the schemas in the definition of the endpoint. */
import { Context, Effect, Schema, type SchemaAST } from "effect"
import { type HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { detailOf } from "../api/Detail.ts"
import { InvalidRequest, UnsupportedMediaType } from "../api/Problems.ts"
import { snakeCase } from "../domain/wire/Wire.ts"
import { wireDecoder } from "../domain/wire/WireDecoding.ts"
import { wireEncoder } from "../domain/wire/WireEncoding.ts"
import type { Request } from "./limits/Limits.ts"
import { unknownFieldWarnings, type Warned, type WithWarnings } from "./body/UnknownFields.ts"

type Endpoint = HttpApiEndpoint.Top
type Of<Name extends keyof Endpoint> = Pick<Endpoint, "identifier" | Name>
type Options = SchemaAST.ParseOptions | undefined

type Codec = Schema.ConstraintCodec<unknown, unknown>

/** Returns the only schema of a body or an answer, without the codec that HttpApi may put around it. */
const onlyOf = ({ identifier }: Of<never>, schemas: Iterable<Schema.Top> = []): Codec => {
  const [held, ...more] = schemas as Iterable<Schema.Top & { readonly schema?: Schema.Top }>
  if (held === undefined || more.length > 0) {
    throw new Error(`${identifier} has not one schema of a JSON body and one of an answer`)
  }
  return (held.schema ?? held) as unknown as Codec
}

const json = "application/json"

/** Returns the schema of a JSON body; null if the endpoint takes no body. */
export const payloadOf = (endpoint: Of<"payload">): Codec | null =>
  endpoint.payload.size === 0 ? null : onlyOf(endpoint, endpoint.payload.get(json)?.schemas)

/** Returns the schema of the answer. Throws if the endpoint has several schemas of answers, or none. */
export const successOf = (endpoint: Of<"success">): Codec => onlyOf(endpoint, endpoint.success)

const invalid = ({ issue }: Schema.SchemaError): InvalidRequest =>
  new InvalidRequest({ detail: detailOf(issue, snakeCase) })

/** A body without a content type is read as JSON, and an empty body as a missing body. */
const parsedBody = (
  { headers, text }: Request
): Effect.Effect<unknown, HttpServerError.HttpServerError | InvalidRequest | UnsupportedMediaType> => {
  const type = headers["content-type"] ?? json
  if (type !== json && type.split(";")[0]?.trim().toLowerCase() !== json) {
    return Effect.fail(new UnsupportedMediaType({ detail: `The body must be sent as ${json}` }))
  }
  return Effect.flatMap(text, (sent): Effect.Effect<unknown, InvalidRequest> => {
    try {
      return Effect.succeed(sent === "" ? undefined : JSON.parse(sent))
    } catch {
      return Effect.fail(new InvalidRequest({ detail: "Expected a valid JSON body" }))
    }
  })
}

/** If the fast decoder cannot decode the body, HttpApi's own codec decodes or refuses it. */
const bodyDecoder = (schema: Codec, options: Options) => {
  const quick = wireDecoder(schema)
  const byCodec = Schema.decodeUnknownEffect(Schema.toCodecJson(schema), options)
  return (body: unknown): Effect.Effect<unknown, InvalidRequest> => {
    const payload = quick(body)
    return payload === undefined ? Effect.mapError(byCodec(body), invalid) : Effect.succeed(payload)
  }
}

interface ReadBody {
  readonly payload?: unknown
  readonly withWarnings: WithWarnings
}

const emptyBody: ReadBody = { withWarnings: (answer) => answer }

const bodyReader = (endpoint: Endpoint, options: Options) => {
  const schema = payloadOf(endpoint)
  if (schema === null) return () => Effect.succeed(emptyBody)
  const answer = successOf(endpoint)
  const decode = bodyDecoder(schema, options)
  // The body of a PUT may be an edited answer, so fields that only the answer has give no warning.
  const unknownFields = unknownFieldWarnings(endpoint.method === "PUT" ? answer : schema, answer)
  return (request: Request) =>
    Effect.flatMap(parsedBody(request), (body) =>
      Effect.flatMap(decode(body), (payload) =>
        Effect.map(unknownFields(body), (withWarnings): ReadBody => ({ payload, withWarnings }))))
}

const queryReader = ({ query }: Endpoint, options: Options) => {
  if (query === undefined) return () => Effect.succeed(undefined)
  const decode = Schema.decodeUnknownEffect(Schema.toCodecArrayFromSingle(query), options)
  return (sent: unknown) => Effect.mapError(decode(sent), invalid)
}

export interface EndpointCall {
  readonly endpoint: Endpoint
  readonly request: Request
  readonly query: unknown
  readonly payload: unknown
}

/** Reads the current request, calls the handler, and writes the handler's answer. */
export const answering = <E, R>(
  endpoint: Endpoint,
  handle: (asked: EndpointCall) => Effect.Effect<Warned, E, R>,
  options: Options
) => {
  const readQuery = queryReader(endpoint, options)
  const readBody = bodyReader(endpoint, options)
  const encode = wireEncoder(successOf(endpoint))
  return Effect.withFiber(({ context }) => {
    const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    const parameters = Context.getUnsafe(context, HttpServerRequest.ParsedSearchParams)
    return Effect.flatMap(readQuery(parameters), (query) =>
      Effect.flatMap(readBody(request), ({ payload, withWarnings }) =>
        Effect.map(handle({ endpoint, request, query, payload }), (answer) =>
          HttpServerResponse.jsonUnsafe(encode(withWarnings(answer))))))
  })
}
