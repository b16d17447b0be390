/** Driver of {@link Reasoner}: a chat model, with a daily limit, a circuit breaker and telemetry. */
import { Cause, Clock, Effect, Exit, Layer, Option, Schema } from "effect"
import { HttpClient } from "effect/http"
import { Catalog } from "../../catalog/Catalog.ts"
import { findModel } from "../../catalog/Lookup.ts"
import { usdOf } from "../../domain/model/Cost.ts"
import type { ListPrices } from "../../domain/model/Model.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { type CircuitBreaker, makeCircuitBreaker } from "../../resilience/CircuitBreaker.ts"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { transport } from "../../resilience/HttpTransport.ts"
import { gauged, measure, meters, timed } from "../../telemetry/Metrics.ts"
import { attribute, operation } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import { classification, type Question, ranking } from "../Questions.ts"
import { type Consulted, Reasoner, ReasonerFailed } from "../Reasoner.ts"
import { type ReasonerSettings, reasonerSettings } from "../ReasonerSettings.ts"
import { makeSharing } from "../Sharing.ts"
import { makeSpending, type Spending } from "../Spending.ts"
import { protocols } from "./Protocols.ts"
import { billOf, credibleUsage, estimateOf, outputTokensMaxOf } from "./QuestionCost.ts"
import { exchange, type ReasonerOptions, type TokenCounts } from "./ReasonerClient.ts"

type ModelAttributes = Readonly<Record<string, string>>

const recordUsage = (
  named: ModelAttributes,
  outputTokensMax: number,
  usage: TokenCounts | null
): Effect.Effect<void> =>
  Effect.andThen(
    annotate(() => ({
      [attribute.genAiTokensMax]: outputTokensMax,
      ...(usage === null
        ? {}
        : { [attribute.genAiInputTokens]: usage.input, [attribute.genAiOutputTokens]: usage.output })
    })),
    measure((add) => {
      if (usage === null) return
      add(meters.tokens({ ...named, [attribute.genAiTokenType]: "input" }), usage.input)
      add(meters.tokens({ ...named, [attribute.genAiTokenType]: "output" }), usage.output)
    })
  )

/** A refused question or an unusable answer is no outage, because a task's author can cause both. */
const isOutage = ({ _tag }: Reason.FailureReason): boolean => _tag !== "Rejected" && _tag !== "Unusable"

/** Makes and logs the failure of a question that was sent. */
const failed = (provider: string, question: string, reason: Reason.FailureReason, costUsd: number) =>
  Effect.andThen(
    // Only outages are logged as warnings: a task's author can cause the other failures at will.
    (isOutage(reason) ? Effect.logWarning : Effect.logDebug)("The reasoner gave no usable answer", {
      provider, question, reason: reason.message
    }),
    Effect.fail(new ReasonerFailed({ reason, costUsd }))
  )

interface Asking {
  readonly client: HttpClient.HttpClient
  readonly provider: keyof typeof protocols
  readonly options: ReasonerOptions
  readonly named: ModelAttributes
  readonly settings: ReasonerSettings
  readonly breaker: CircuitBreaker
  readonly spending: Spending
  readonly listPrices: Effect.Effect<ListPrices>
}

const readAnswer = <A, S extends Schema.Codec<unknown, Record<string, unknown>>>(
  { isLowerCase, read }: Question<A, S>,
  codec: Schema.ConstraintCodec<S["Type"], unknown>,
  said: Option.Option<string>
): Effect.Effect<A, Reason.FailureReason> => {
  if (Option.isNone(said)) {
    return Effect.fail(new Reason.Unreachable({ status: 200, cause: "not the protocol's answer" }))
  }
  const text = isLowerCase ? said.value.toLowerCase() : said.value
  const answer = Option.map(Schema.decodeOption(Schema.fromJsonString(codec))(text), read)
  return Option.isNone(answer)
    ? Effect.fail(new Reason.Unusable({ cause: "not of the form that was asked for" }))
    : answer.value === null
    ? Effect.fail(new Reason.Unusable({ cause: "nothing usable in it" }))
    : Effect.succeed(answer.value)
}

/** Makes the function that sends a question within the account's daily limit, and books its cost. */
const makeAsk = ({ breaker, client, listPrices, named, options, provider, settings, spending }: Asking) => {
  const protocol = protocols[provider]
  const timedChat = timed(meters.genAi, named)
  return Effect.fnUntraced(function*<A, S extends Schema.Codec<unknown, Record<string, unknown>>>(
    accountId: AccountId,
    question: Question<A, S>
  ): Effect.fn.Return<Consulted<A>, ReasonerFailed> {
    const { data, instructions, name } = question
    const outputTokensMax = outputTokensMaxOf(question, settings)
    const { codec, jsonSchema: form } = protocol.codecOf(question.schema)
    const body = protocol.bodyOf({ model: options.model, name, instructions, data, outputTokensMax, form })
    const estimate = estimateOf(question, settings)
    const prices = yield* listPrices
    const book = spending.reserve(accountId, usdOf(prices, estimate), yield* Clock.currentTimeMillis)
    if (book === null) {
      const cause = "the account's budget is used up"
      return yield* new ReasonerFailed({ reason: new Reason.NotSent({ cause }) })
    }
    let usage: TokenCounts | null = null
    const answered = exchange(client, options, protocol, body).pipe(
      Effect.flatMap((reply) => {
        usage = reply.usage
        return Effect.suspend(() => {
          const said = protocol.answerIn(reply.body, name)
          usage = credibleUsage(reply.usage, instructions + data, Option.getOrElse(said, () => ""))
          return readAnswer(question, codec, said)
        }).pipe(
          // An answer that makes the decoder crash is a failure of the reasoner, and may cost money.
          Effect.catchDefect(() => Effect.fail(new Reason.Unreachable({ status: 200, cause: "unreadable" })))
        )
      }),
      Effect.catchDefect(() => Effect.fail(new Reason.Unreachable({ cause: "unreadable" }))),
      deadline(settings.timeoutMs, () => new Reason.TimedOut({ limitMs: settings.timeoutMs }))
    )
    return yield* breaker.run(answered, isOutage).pipe(
      timedChat,
      Effect.ensuring(Effect.suspend(() => recordUsage(named, outputTokensMax, usage))),
      Effect.map((answer): Consulted<A> => ({ answer, costUsd: billOf(usage, prices, estimate, null) })),
      Effect.catch((error) => {
        if (error._tag === "BreakerOpen") {
          const reason = new Reason.NotSent({ cause: error, retryAfterMs: error.retryAfterMs })
          return Effect.fail(new ReasonerFailed({ reason }))
        }
        return failed(provider, name, error, billOf(usage, prices, estimate, error))
      }),
      Effect.onExit((exit) =>
        Effect.sync(() => book(Exit.match(exit, {
          onSuccess: ({ costUsd }) => costUsd ?? 0,
          onFailure: (cause) => cause.reasons.find(Cause.isFailReason)?.error.costUsd ?? 0
        }))))
    )
  })
}

export const makeReasoner = Effect.fnUntraced(function*(
  provider: keyof typeof protocols,
  options: ReasonerOptions,
  settings: ReasonerSettings
) {
  const client = yield* HttpClient.HttpClient
  const catalog = yield* Catalog
  const breaker = makeCircuitBreaker(settings.breaker)
  yield* gauged(meters.breakers({ [attribute.breaker]: "reasoner" }), breaker.state)
  const named = {
    [attribute.genAiOperation]: operation.chat,
    [attribute.genAiProvider]: provider,
    [attribute.genAiModel]: options.model
  }
  const listPrices = Effect.map(catalog.snapshot, (snapshot): ListPrices =>
    findModel(snapshot, options.model) ?? settings.unknownPrices)
  const spending = makeSpending(settings.dailyUsdMax)
  const ask = makeAsk({ client, provider, options, named, settings, breaker, spending, listPrices })
  const { share } = makeSharing(settings.questionsMax, settings.questionsPerAccountMax)

  const consult = <A, S extends Schema.Codec<unknown, Record<string, unknown>>>(
    accountId: AccountId,
    question: Question<A, S>
  ) =>
    share(accountId, `${question.name} ${question.data}`, ask(accountId, question)).pipe(
      Effect.withSpan(`${operation.chat} ${options.model}`, {
        kind: "client",
        attributes: { ...named, [attribute.genAiOutputType]: "json", [attribute.question]: question.name }
      }, { captureStackTrace: false })
    )

  return Reasoner.of({
    provider,
    classify: (accountId, task) => consult(accountId, classification(task)),
    rank: (accountId, task, candidates) => consult(accountId, ranking(task, candidates))
  })
})

export const layer = (
  provider: keyof typeof protocols,
  options: ReasonerOptions,
  settings: ReasonerSettings = reasonerSettings
): Layer.Layer<Reasoner, never, Catalog> =>
  Layer.effect(Reasoner, makeReasoner(provider, options, settings)).pipe(Layer.provide(transport(settings)))
