/** One question to the reasoner over HTTP, for every protocol. */
import { Context, Effect, Option, type Redacted, Schema } from "effect"
import { AiError, type LanguageModel, type Response } from "effect/ai"
import { HttpClient, HttpClientRequest } from "effect/http"

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

/** Limits of a question that was sent, and what is known of its answer, usable or not. */
export interface Call {
  readonly outputTokensMax: number
  /** Null until there is a response. */
  status: number | null
  /** Null until the reasoner has reported its usage. */
  usage: TokenCounts | null
  /** The header `Retry-After` of a response that is no answer. */
  retryAfter: string | undefined
}

export const callOf = (outputTokensMax: number): Call =>
  ({ outputTokensMax, status: null, usage: null, retryAfter: undefined })

/** The call of this fiber. */
export const Calling = Context.Reference<Call>("sextant/reasoner/remote/ReasonerClient/Calling", {
  defaultValue: () => callOf(0)
})

const failed = (method: string, reason: AiError.AiErrorReason) =>
  AiError.make({ module: "Reasoner", method, reason })

/** Statuses that blame the question, which holds the task; {@link AiError} knows only the first. */
const blamingQuestion = [400, 413, 422]

const reasonOf = (status: number): AiError.AiErrorReason =>
  AiError.reasonFromHttpStatus({ status: blamingQuestion.includes(status) ? 400 : status })

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

export interface Protocol<S extends Schema.Codec<unknown>> {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Field names of the usage: tokens of the question and of the answer. */
  readonly usageNames: readonly [input: string, output: string]
  readonly answer: S
}

/**
 * Posts one question and reads the answer; records what {@link Calling} holds. A failure states
 * its kind, and quotes neither question nor answer.
 */
export const exchange = Effect.fnUntraced(function*<S extends Schema.Codec<unknown>>(
  client: HttpClient.HttpClient,
  { url }: ReasonerOptions,
  { answer, headers, path, usageNames }: Protocol<S>,
  question: unknown
): Effect.fn.Return<S["Type"], AiError.AiError> {
  const call = yield* Effect.service(Calling)
  const address = `${url.href.replace(/\/+$/, "")}${path}`
  const invalid = () =>
    failed(path, new AiError.InvalidOutputError({ description: "not the protocol's answer" }))
  const accept = "application/json"
  const text = yield* HttpClientRequest.post(address, { headers: { ...headers, accept } }).pipe(
    HttpClientRequest.bodyJsonUnsafe(question),
    HttpClient.withScope(client).execute,
    Effect.tap((response) => {
      call.status = response.status
      if (response.status === 200) return Effect.void
      call.retryAfter = response.headers["retry-after"]
      return Effect.fail(failed(path, reasonOf(response.status)))
    }),
    Effect.flatMap((response) => response.text),
    Effect.scoped,
    Effect.mapError((error) =>
      AiError.isAiError(error) ? error : failed(path, new AiError.NetworkError({
        reason: "TransportError", method: "POST", url: address, description: error.reason._tag
      })))
  )
  const body = yield* Effect.try({ try: (): unknown => JSON.parse(text), catch: invalid })
  call.usage = usageIn(body, usageNames)
  return yield* Effect.mapError(Schema.decodeUnknownEffect(answer)(body), invalid)
  // No span, and no trace id in the request: trace ids do not leave the service.
}, Effect.provideService(HttpClient.TracerDisabledWhen, () => true))

/** The texts of the prompt's messages with that role, joined by line breaks. */
export const textOf = ({ prompt }: LanguageModel.ProviderOptions, role: "system" | "user"): string =>
  prompt.content
    .filter((message) => message.role === role)
    .flatMap(({ content }) =>
      typeof content === "string"
        ? [content]
        : content.flatMap((part) => part.type === "text" ? [part.text] : []))
    .join("\n")

/** The parts of an answer for `effect/ai`. */
export const partsOf = (text: string): Array<Response.PartEncoded> => [
  { type: "text", text },
  // Usage is recorded in the call, because failures need it too.
  { type: "finish", reason: "stop", usage: { inputTokens: {}, outputTokens: {} } }
]
