/* A call of a model with the caller's own key: asks, retries, and pays from the reserved money. */
import { Clock, Duration, Effect, Option, Schedule, Schema } from "effect"
import { HttpClient } from "effect/http"
import { protocols } from "../../../src/reasoner/remote/Protocols.ts"
import { usdOf } from "../../../src/domain/model/Cost.ts"
import type { ListPrices } from "../../../src/domain/model/Model.ts"
import { credibleUsage } from "../../../src/reasoner/remote/QuestionCost.ts"
import {
  exchange, type ReasonerOptions, type TokenCounts
} from "../../../src/reasoner/remote/ReasonerClient.ts"
import { deadline } from "../../../src/resilience/Deadline.ts"
import type { FailureReason } from "../../../src/resilience/FailureReason.ts"
import type { AuditionSettings } from "./AuditionSettings.ts"
import type { LeftOut, UnusableJournal } from "./Journal.ts"
import type { Message } from "./Prompts.ts"

export interface ChatModel extends ReasonerOptions {
  readonly protocol: keyof typeof protocols
  readonly prices: ListPrices
}

/** The money for one answer and its grade, USD. `reservedUsd` includes the money that is already spent. */
export interface Purse {
  spentUsd: number
  reservedUsd: number
  /** Reserves more money; false if the budget has no room for it. */
  readonly extend: (usd: number) => Effect.Effect<boolean, UnusableJournal>
}

export interface Answer {
  readonly text: string
  readonly isCutOff: boolean
  readonly usage: TokenCounts | null
  readonly costUsd: number
  readonly latencyMs: number
}

/** A call without a gradable answer. `waitMs` is the wait before a retry that the provider asks for. */
class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  reason: Schema.Literals(["rate_limited", "outage", "refused", "rejected", "unauthorized", "budget"]),
  isRetryable: Schema.Boolean,
  waitMs: Schema.Finite
}) {}

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Upper bound on a call's input tokens: the bytes of its messages, and the provider's template tokens. */
export const inputTokensMaxOf = (
  bytes: number,
  messages: number,
  { templateTokens }: AuditionSettings
): number =>
  bytes + templateTokens * (messages + 1)

/** Upper bound on the cost of one attempt at a call, USD. */
export const worstOf = (
  { prices }: Pick<ChatModel, "prices">,
  messages: ReadonlyArray<Message>,
  outputTokensMax: number,
  settings: AuditionSettings
): number => {
  const bytes = messages.reduce((sum, { content }) => sum + bytesOf(content), 0)
  return usdOf(prices, { input: inputTokensMaxOf(bytes, messages.length, settings), output: outputTokensMax })
}

const Reason = Schema.optionalKey(Schema.NullOr(Schema.String))
const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({
    message: Schema.Struct({ content: Schema.optionalKey(Schema.NullOr(Schema.String)), refusal: Reason }),
    finish_reason: Reason
  }))
})
const AnthropicMessage = Schema.Struct({
  content: Schema.Array(Schema.Union([
    Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
    Schema.Struct({ type: Schema.String })
  ])),
  stop_reason: Reason
})

/** The text of an answer, and the provider's word for why the text ended. */
interface Said {
  readonly text: string
  readonly ended: string
}

/** Writes the request and reads the answer of each protocol. */
const dialects = {
  openai: {
    bodyOf: (model: string, messages: ReadonlyArray<Message>, most: number) =>
      ({ model, messages, max_completion_tokens: most }),
    saidIn: (body: unknown) =>
      Option.map(
        Schema.decodeUnknownOption(Completion)(body),
        ({ choices: [{ finish_reason: ended, message: { content, refusal } }] }): Said =>
          ({ text: content ?? "", ended: typeof refusal === "string" ? "refusal" : ended ?? "" })
      )
  },
  anthropic: {
    bodyOf: (model: string, messages: ReadonlyArray<Message>, most: number) => {
      const system = messages.flatMap(({ content, role }) => role === "system" ? [content] : []).join("\n\n")
      return {
        model, messages: messages.filter(({ role }) => role !== "system"), max_tokens: most,
        ...(system === "" ? {} : { system })
      }
    },
    saidIn: (body: unknown) =>
      Option.map(
        Schema.decodeUnknownOption(AnthropicMessage)(body),
        ({ content, stop_reason: ended }): Said => ({
          text: content.map((part) => "text" in part ? part.text : "").join(""), ended: ended ?? ""
        })
      )
  }
}

const noAnswer = (reason: NoAnswer["reason"], isRetryable = false, waitMs = 0) =>
  new NoAnswer({ reason, isRetryable, waitMs })

/** True if the provider answered with a failure status, so that the attempt costs nothing. */
const isTurnedDown = (reason: FailureReason): boolean =>
  reason._tag !== "Unreachable" || (reason.status !== undefined && reason.status !== 200)

const noAnswerOf = (reason: FailureReason, waitMsMax: number): NoAnswer => {
  if (reason._tag === "Unauthorized") return noAnswer("unauthorized")
  if (reason._tag !== "Unreachable") return noAnswer("rejected")
  // A failure without a status is a broken connection, which counts as an outage.
  const { retryAfterMs = 0, status = 200 } = reason
  const waitMs = Math.min(retryAfterMs, waitMsMax)
  if (status === 429) return noAnswer("rate_limited", true, waitMs)
  return status === 200 || status >= 500 ? noAnswer("outage", true, waitMs) : noAnswer("rejected")
}

/** Error codes of a connection that was never open, so that no model ran. */
const unsent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+)$/

const isUnsent = (error: unknown): boolean => {
  for (let cause = error, depth = 0; cause instanceof Object && depth < 5; depth++) {
    if ("code" in cause && unsent.test(String(cause.code))) return true
    cause = "reason" in cause ? cause.reason : "cause" in cause ? cause.cause : undefined
  }
  return false
}

/**
 * Asks a model. Each attempt first reserves its worst-case cost. An attempt that times out, or has no
 * credible usage, is charged its worst-case cost, because the model may have run. An attempt that gets an
 * error status, or that never connected, costs nothing.
 *
 * @param keepUsd reserved money that must remain after the call, for the judge
 */
export const chat = Effect.fnUntraced(function*(
  client: HttpClient.HttpClient,
  model: ChatModel,
  messages: ReadonlyArray<Message>,
  purse: Purse,
  { keepUsd, outputTokensMax, settings }: {
    readonly keepUsd: number
    readonly outputTokensMax: number
    readonly settings: AuditionSettings
  }
): Effect.fn.Return<Answer | LeftOut, UnusableJournal> {
  const worstUsd = worstOf(model, messages, outputTokensMax, settings)
  const attempt = Effect.gen(function*() {
    const shortUsd = purse.spentUsd + worstUsd + keepUsd - purse.reservedUsd
    // A shortage of money that is only a rounding error needs no further reservation.
    if (shortUsd > 1e-12 && !(yield* purse.extend(shortUsd))) return yield* noAnswer("budget")
    let billUsd = worstUsd
    const watched = HttpClient.tapError(client, (error) =>
      Effect.sync(() => {
        if (isUnsent(error)) billUsd = 0
      }))
    const beganMs = yield* Clock.currentTimeMillis
    const { bodyOf, saidIn } = dialects[model.protocol]
    const body = bodyOf(model.model, messages, outputTokensMax)
    const { said, usage } = yield* exchange(watched, model, protocols[model.protocol], body).pipe(
      Effect.mapError((reason) => {
        if (isTurnedDown(reason)) billUsd = 0
        return noAnswerOf(reason, settings.retryAfterMsMax)
      }),
      Effect.flatMap((reply) => {
        const said = Option.getOrNull(saidIn(reply.body))
        const asked = messages.map(({ content }) => content).join("\n")
        const usage = credibleUsage(reply.usage, asked, said?.text ?? "")
        if (usage !== null) billUsd = usdOf(model.prices, usage)
        return said === null ? Effect.fail(noAnswer("outage")) : Effect.succeed({ said, usage })
      }),
      deadline(settings.callMs, () => noAnswer("outage")),
      Effect.onExit(() => Effect.sync(() => {
        purse.spentUsd += billUsd
      }))
    )
    if (/^(content_filter|refusal)$/.test(said.ended)) return yield* noAnswer("refused")
    return {
      text: said.text, isCutOff: /^(length|max_tokens)$/.test(said.ended), usage, costUsd: billUsd,
      latencyMs: (yield* Clock.currentTimeMillis) - beganMs
    }
  })
  return yield* attempt.pipe(
    Effect.retry({
      while: (error) => error._tag === "NoAnswer" && error.isRetryable,
      times: settings.retriesMax,
      schedule: Schedule.exponential(settings.retryMs).pipe(
        Schedule.jittered,
        Schedule.setInputType<NoAnswer | UnusableJournal>(),
        Schedule.modifyDelay(({ duration, input }) =>
          Effect.succeed(Math.max(Duration.toMillis(duration), input._tag === "NoAnswer" ? input.waitMs : 0)))
      )
    }),
    Effect.catchTag("NoAnswer", ({ reason }) => Effect.succeed(reason))
  )
})
