/** One question to a provider of chat over HTTP, for every protocol. */
import { Effect, Option, type Redacted, Schema } from "effect"
import type { HttpClient } from "effect/http"
import type { FailureReason } from "../../resilience/FailureReason.ts"
import { postJson } from "../../resilience/HttpTransport.ts"
import type { Protocol } from "./Protocols.ts"

export interface ReasonerOptions {
  /** Base URL, its version included: `https://api.example.com/v1`. */
  readonly url: URL
  readonly model: string
  /** None for a service without keys, such as one on the same machine. */
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
}

export interface TokenCounts {
  readonly input: number
  readonly output: number
}

/** A number of tokens; more than any answer has is an error, not a bill. */
const TokenCount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 }))

const usageIn = (body: unknown, names: readonly [input: string, output: string]): TokenCounts | null => {
  const counts = Schema.Struct({ usage: Schema.Record(Schema.String, Schema.Unknown) })
  const { usage = {} } = Option.getOrElse(Schema.decodeUnknownOption(counts)(body), () => ({ usage: {} }))
  const found = names.map((name) => new Map(Object.entries(usage)).get(name))
  return Option.getOrNull(Option.map(
    Schema.decodeUnknownOption(Schema.Tuple([TokenCount, TokenCount]))(found),
    ([input, output]) => ({ input, output })
  ))
}

/** What came with status 200, usable or not. */
interface Reply {
  /** Undefined when it is no JSON. */
  readonly body: unknown
  /** Null when it does not say. */
  readonly usage: TokenCounts | null
}

/** Posts one question. A failure states its kind, and quotes neither question nor answer. */
export const exchange = (
  client: HttpClient.HttpClient,
  { apiKey, url }: ReasonerOptions,
  { headersOf, path, usageNames }: Protocol,
  question: unknown
): Effect.Effect<Reply, FailureReason> =>
  Effect.map(postJson(client, url, path, headersOf(apiKey), question), (text) => {
    const body = Option.getOrUndefined(Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))(text))
    return { body, usage: usageIn(body, usageNames) }
  })
