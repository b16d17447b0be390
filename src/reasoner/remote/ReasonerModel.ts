/** The reasoner over a language model, for every protocol: budget, circuit breaker, sharing, telemetry. */
import { Cause, Clock, Effect, Exit, type Schema } from "effect"
import type { LanguageModel } from "effect/ai"
import { Catalog } from "../../catalog/Catalog.ts"
import { findModel } from "../../catalog/Lookup.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { type CircuitBreaker, makeCircuitBreaker } from "../../resilience/CircuitBreaker.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import { gauged, measure, meters, timed } from "../../telemetry/Metrics.ts"
import { attribute, operation } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import { classification, type Question, ranking } from "../Questions.ts"
import { type Consulted, Reasoner, ReasonerFailed } from "../Reasoner.ts"
import type { ReasonerSettings } from "../ReasonerSettings.ts"
import { makeSharing } from "../Sharing.ts"
import { makeSpending, type Spending } from "../Spending.ts"
import { answerTo, isOutage } from "./Answer.ts"
import { billOf, costOf, estimateOf, outputTokensMaxOf } from "./QuestionCost.ts"
import { type Call, callOf, Calling, type TokenCounts } from "./ReasonerClient.ts"

type ModelAttributes = Readonly<Record<string, string>>

/** Puts the usage that the reasoner reported onto the question's span and into the metrics. */
const recordUsage = (named: ModelAttributes, { outputTokensMax, usage }: Call): Effect.Effect<void> =>
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

/** The failure of a question that was asked, which has cost something all the same. */
const failed = (provider: string, question: string, reason: Reason.FailureReason, costUsd: number) =>
  Effect.andThen(
    // The breaker bounds how often an outage is logged; what tasks bring about could fill the log.
    (isOutage(reason) ? Effect.logWarning : Effect.logDebug)("The reasoner gave no usable answer", {
      provider, question, reason: typeof reason.cause === "string" ? reason.cause : reason._tag
    }),
    Effect.fail(new ReasonerFailed({ reason, costUsd }))
  )

interface Asking {
  readonly provider: string
  readonly named: ModelAttributes
  readonly model: LanguageModel.LanguageModel
  readonly settings: ReasonerSettings
  readonly breaker: CircuitBreaker
  readonly spending: Spending
  /** Of the reasoner's model, in USD per million tokens. */
  readonly price: Effect.Effect<TokenCounts>
}

/** Asks once, within the account's budget, and books the cost whatever the outcome. */
const makeAsk = ({ breaker, model, named, price, provider, settings, spending }: Asking) => {
  const timedChat = timed(meters.genAi, named)
  return Effect.fnUntraced(function*<A, S extends Schema.Codec<unknown, Record<string, unknown>>>(
    accountId: AccountId,
    question: Question<A, S>
  ): Effect.fn.Return<Consulted<A>, ReasonerFailed> {
    const call = callOf(outputTokensMaxOf(question, settings))
    const estimate = estimateOf(question, settings)
    const perMtok = yield* price
    const book = spending.reserve(accountId, costOf(perMtok, estimate), yield* Clock.currentTimeMillis)
    if (book === null) {
      const cause = "the account's budget is used up"
      return yield* new ReasonerFailed({ reason: new Reason.NotSent({ cause }) })
    }
    return yield* breaker.run(
      Effect.provideService(answerTo(model, question, settings.timeoutMs), Calling, call),
      isOutage
    ).pipe(
      timedChat,
      Effect.ensuring(Effect.suspend(() => recordUsage(named, call))),
      Effect.map((answer): Consulted<A> => ({ answer, costUsd: billOf(call, perMtok, estimate, false) })),
      Effect.catch((error) => {
        if (error._tag === "BreakerOpen") {
          const reason = new Reason.NotSent({ cause: error, retryAfterMs: error.retryAfterMs })
          return Effect.fail(new ReasonerFailed({ reason }))
        }
        const costUsd = billOf(call, perMtok, estimate, error._tag === "TimedOut")
        return failed(provider, question.name, error, costUsd)
      }),
      Effect.onExit((exit) =>
        Effect.sync(() => book(Exit.match(exit, {
          onSuccess: ({ costUsd }) => costUsd ?? 0,
          onFailure: (cause) => cause.reasons.find(Cause.isFailReason)?.error.costUsd ?? 0
        }))))
    )
  })
}

/** The reasoner that `model` is; a driver adds the protocol alone. */
export const makeReasoner = Effect.fnUntraced(function*(
  provider: string,
  modelId: string,
  model: LanguageModel.LanguageModel,
  settings: ReasonerSettings
) {
  const catalog = yield* Catalog
  const breaker = makeCircuitBreaker(settings.breaker)
  yield* gauged(meters.breakers({ [attribute.breaker]: "reasoner" }), breaker.state)
  const named = {
    [attribute.genAiOperation]: operation.chat,
    [attribute.genAiProvider]: provider,
    [attribute.genAiModel]: modelId
  }
  const price = Effect.map(catalog.snapshot, (snapshot): TokenCounts => {
    const card = findModel(snapshot, modelId)
    return card === undefined
      ? settings.unknownPrice
      : { input: card.inputCostPerMtok, output: card.outputCostPerMtok }
  })
  const spending = makeSpending(settings.dailyBudgetUsd)
  const ask = makeAsk({ provider, named, model, settings, breaker, spending, price })
  const { share } = makeSharing(settings.questionsMax, settings.questionsPerAccountMax)

  const consult = <A, S extends Schema.Codec<unknown, Record<string, unknown>>>(
    accountId: AccountId,
    question: Question<A, S>
  ) =>
    share(accountId, `${question.name} ${question.data}`, ask(accountId, question)).pipe(
      Effect.withSpan(`${operation.chat} ${modelId}`, {
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
