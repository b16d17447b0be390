/** The cost of a question to the reasoner: an estimate beforehand, the bill afterwards. */
import { usdOf } from "../../domain/model/Cost.ts"
import type { ListPrices } from "../../domain/model/Model.ts"
import { textTokens } from "../../domain/text/TextTokens.ts"
import type { FailureReason } from "../../resilience/FailureReason.ts"
import type { Question } from "../Questions.ts"
import type { ReasonerSettings } from "../ReasonerSettings.ts"
import type { TokenCounts } from "./ReasonerClient.ts"

type QuestionSize = Pick<Question<unknown, never>, "instructions" | "data" | "candidates">

/** Most tokens that the answer to the question may have, count. */
export const outputTokensMaxOf = ({ candidates }: QuestionSize, settings: ReasonerSettings): number =>
  settings.answerTokens + settings.answerTokensPerCandidate * candidates

/** Tokens of the question, and of the longest answer to it. */
export const estimateOf = (question: QuestionSize, settings: ReasonerSettings): TokenCounts => ({
  input: Math.ceil((question.instructions.length + question.data.length) / settings.charactersPerToken),
  output: outputTokensMaxOf(question, settings)
})

/** Share of the tokens that a text is estimated at, below which a count of them cannot be. Chosen. */
const credibleShare = 0.5

/** The reported usage; null where it has far fewer tokens than its texts, as of servers that always say 0. */
export const credibleUsage = (
  usage: TokenCounts | null,
  question: string,
  answer: string
): TokenCounts | null =>
  usage === null || usage.input < credibleShare * textTokens(question)
    || usage.output < credibleShare * textTokens(answer)
    ? null
    : usage

/** Whether the reasoner may have worked on a question that failed so: it answered, or ran out of time. */
const mayHaveWorked = (reason: FailureReason): boolean =>
  reason._tag === "TimedOut" || reason._tag === "Unusable"
  || (reason._tag === "Unreachable" && reason.status === 200)

/**
 * What a question that was asked has cost, in USD: by the usage that the reasoner reported. Without a report
 * it is the question's own tokens where the reasoner may have worked, and 0 where it did not.
 *
 * @param failure null for an answer
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
