/** Computes the cost of a question to the reasoner: an estimate at first, and the bill afterwards. */
import { usdOf } from "../../domain/model/Cost.ts"
import type { ListPrices } from "../../domain/model/Model.ts"
import { textTokens } from "../../domain/text/TextTokens.ts"
import type { FailureReason } from "../../resilience/FailureReason.ts"
import type { Question } from "../Questions.ts"
import type { ReasonerSettings } from "../ReasonerSettings.ts"
import type { TokenCounts } from "./ReasonerClient.ts"

type QuestionSize = Pick<Question<unknown, never>, "instructions" | "data" | "candidates">

export const outputTokensMaxOf = ({ candidates }: QuestionSize, settings: ReasonerSettings): number =>
  settings.answerTokens + settings.answerTokensPerCandidate * candidates

/** Estimates the number of tokens of the question and of its longest possible answer. */
export const estimateOf = (question: QuestionSize, settings: ReasonerSettings): TokenCounts => ({
  input: Math.ceil((question.instructions.length + question.data.length) / settings.charactersPerToken),
  output: outputTokensMaxOf(question, settings)
})

/** Share of the estimated tokens below which a reported count is not believed. Chosen. */
const credibleShare = 0.5

/** Returns null for a usage that is far too low for the texts: some servers always report 0 tokens. */
export const credibleUsage = (
  usage: TokenCounts | null,
  question: string,
  answer: string
): TokenCounts | null =>
  usage === null || usage.input < credibleShare * textTokens(question)
    || usage.output < credibleShare * textTokens(answer)
    ? null
    : usage

/** Returns true if the reasoner may have worked on the question: it answered, or the time ran out. */
const mayHaveWorked = (reason: FailureReason): boolean =>
  reason._tag === "TimedOut" || reason._tag === "Unusable"
  || (reason._tag === "Unreachable" && reason.status === 200)

/**
 * The cost of a sent question, USD, by the reported usage. Without usage, the cost is that of the question's
 * estimated tokens if the reasoner may have worked, otherwise 0.
 * @param failure the reason of the failure; null if there was a usable answer
 */
export const billOf = (
  usage: TokenCounts | null,
  prices: ListPrices,
  estimate: TokenCounts,
  failure: FailureReason | null
): number => {
  if (usage !== null) return usdOf(prices, usage)
  return failure === null || mayHaveWorked(failure) ? usdOf(prices, { ...estimate, output: 0 }) : 0
}
