/** Sends one question to a chat provider over HTTP. */
import { Effect, Option, type Redacted, Schema } from "effect"
import type { HttpClient } from "effect/http"
import type { FailureReason } from "../../resilience/FailureReason.ts"
import { postJson } from "../../resilience/HttpTransport.ts"
import type { Protocol } from "./Protocols.ts"

export interface ReasonerOptions {
  /** Base URL including the version: `https://api.example.com/v1`. */
  readonly url: URL
  readonly model: string
  readonly apiKey: Option.Option<Redacted.Redacted<string>>
}

export interface TokenCounts {
  readonly input: number
  readonly output: number
}

/** Schema of a reported number of tokens, which fails above ten million. */
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

interface Reply {
  /** The parsed body; undefined if the body is not JSON. */
  readonly body: unknown
  /** Reported token counts; null if the body does not report both, or reports impossible ones. */
  readonly usage: TokenCounts | null
}

/** Sends a question, and reads the reply. A failure quotes neither the question nor the answer. */
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
