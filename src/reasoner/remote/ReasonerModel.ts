import { Cause, Clock, Effect, Exit, Schema } from "effect"
import type { AiError, LanguageModel } from "effect/ai"
import { Catalog } from "../../catalog/Catalog.ts"
import { findModel } from "../../catalog/Lookup.ts"
import { makeCircuitBreaker } from "../../resilience/CircuitBreaker.ts"
import { deadline } from "../../resilience/Deadline.ts"
import { gauged, measure, meters, timed } from "../../telemetry/Metrics.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { attribute, operation } from "../../telemetry/SemanticConventions.ts"
import { annotate } from "../../telemetry/Spans.ts"
import { callOf, Calling, type Tokens } from "./ReasonerClient.ts"
import { classification, type Question, ranking } from "../Questions.ts"
import { type Consulted, Reasoner, ReasonerFailed } from "../Reasoner.ts"
import type { ReasonerSettings } from "../ReasonerSettings.ts"
import { makeSharing } from "../Sharing.ts"
import { makeSpending } from "../Spending.ts"

/** Why a question came to nothing, in our own words: the reasoner's may hold anything. */
class Trouble extends Schema.TaggedError<Trouble>()("Trouble", {
  reason: Schema.String,
  /** It speaks against the reasoner; not what the task's author could have brought about. */
  isOut: Schema.Boolean
}) {}

/** Whoever writes the task can make a model refuse, babble, or choke on the question. */
const ofContent = ["InvalidRequestError", "StructuredOutputError", "ContentPolicyError"]

const troubleOf = ({ reason: { _tag } }: AiError.AiError): Trouble =>
  new Trouble({ reason: _tag, isOut: !ofContent.includes(_tag) })

const costOf = (price: Tokens, used: Tokens): number =>
  (used.input * price.input + used.output * price.output) / 1e6

/** What both drivers have in common: everything but the protocol. */
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
  const timedChat = timed(meters.genAi, named)

  /** What the reasoner said that it used, onto the question's span and into the metrics. */
  const tellUsage = ({ outputTokensMax, usage }: ReturnType<typeof callOf>) =>
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

  const spending = makeSpending(settings.dailyBudgetUsd)
  const { share } = makeSharing(settings.questionsMax, settings.questionsPerAccountMax)

  /** In USD per million tokens. */
  const price = Effect.map(catalog.snapshot, (snapshot): Tokens => {
    const card = findModel(snapshot, modelId)
    return card === undefined
      ? settings.unknownPrice
      : { input: card.inputCostPerMtok, output: card.outputCostPerMtok }
  })

  const answerTo = <A, S extends Schema.Codec<unknown, Record<string, unknown>>>(
    { data, instructions, name, read, schema }: Question<A, S>
  ): Effect.Effect<A, Trouble> =>
    model.generateObject({
      objectName: name,
      schema,
      prompt: [
        { role: "system", content: instructions },
        { role: "user", content: [{ type: "text", text: data }] }
      ]
    }).pipe(
      // Its spans would keep answers that cannot be read, with what they repeat of the task, or of our key.
      Effect.withTracerEnabled(false),
      Effect.mapError(troubleOf),
      // Whatever the decoder makes of garbage, it is the reasoner's.
      Effect.catchDefect(() => Effect.fail(new Trouble({ reason: "Unreadable", isOut: true }))),
      Effect.flatMap(({ value }) => {
        const answer = read(value)
        return answer === null
          ? Effect.fail(new Trouble({ reason: "NothingUsable", isOut: false }))
          : Effect.succeed(answer)
      }),
      deadline(settings.timeoutMs, () => new Trouble({ reason: "Timeout", isOut: true }))
    )

  /** Asks once, within the account's budget, which books the cost whatever comes of it. */
  const ask = Effect.fnUntraced(function*<A, S extends Schema.Codec<unknown, Record<string, unknown>>>(
    accountId: AccountId,
    question: Question<A, S>
  ): Effect.fn.Return<Consulted<A>, ReasonerFailed> {
    const { charactersPerToken } = settings
    const call = callOf(settings.answerTokens + settings.answerTokensPerCandidate * question.candidates)
    const perMtok = yield* price
    const estimate: Tokens = {
      input: Math.ceil((question.instructions.length + question.data.length) / charactersPerToken),
      output: call.outputTokensMax
    }
    const book = spending.reserve(accountId, costOf(perMtok, estimate), yield* Clock.currentTimeMillis)
    if (book === null) return yield* new ReasonerFailed({ cause: "the account's budget is used up" })

    /** As told; when it may have worked and does not say for how much, the question itself; else nothing. */
    const spentUsd = (isTimeout: boolean): number => {
      if (call.usage !== null) return costOf(perMtok, call.usage)
      return call.status === 200 || (isTimeout && call.status === null)
        ? costOf(perMtok, { ...estimate, output: 0 })
        : 0
    }
    return yield* breaker.run(
      Effect.provideService(answerTo(question), Calling, call),
      ({ isOut }) => isOut
    ).pipe(
      timedChat,
      Effect.ensuring(Effect.suspend(() => tellUsage(call))),
      Effect.map((answer): Consulted<A> => ({ answer, costUsd: spentUsd(false) })),
      Effect.catchTags({
        BreakerOpen: () => Effect.fail(new ReasonerFailed({ cause: "it has failed and is left alone" })),
        Trouble: ({ isOut, reason }) =>
          Effect.andThen(
            // The breaker bounds how often it is out; what tasks bring about could fill the log.
            (isOut ? Effect.logWarning : Effect.logDebug)("The reasoner was of no use", {
              provider, question: question.name, reason
            }),
            Effect.fail(new ReasonerFailed({ cause: reason, costUsd: spentUsd(reason === "Timeout") }))
          )
      }),
      Effect.onExit((exit) =>
        Effect.sync(() => book(Exit.match(exit, {
          onSuccess: ({ costUsd }) => costUsd ?? 0,
          onFailure: (cause) => cause.reasons.find(Cause.isFailReason)?.error.costUsd ?? 0
        }))))
    )
  })

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
