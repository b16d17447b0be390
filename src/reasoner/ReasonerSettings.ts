/** Limits of the reasoner: time, size, concurrency and spending. */
import type { ListPrices } from "../domain/model/Model.ts"

/** Prices assumed for a reasoner that the catalog does not list. Chosen. */
const unknownPrices: ListPrices = { inputCostPerMtok: 1, outputCostPerMtok: 5, cacheReadCostPerMtok: null }

export const reasonerSettings = {
  /** Maximum wait for one answer, ms. Chosen. SEXTANT_REASONER_TIMEOUT_MS overrides it. */
  timeoutMs: 8_000,
  connectMs: 2_000,
  // Some services repeat the question in the answer, or add thoughts to it.
  answerBytesMax: 256_000,
  connectionsMax: 32,
  keepAliveMs: 30_000,
  /** Maximum number of questions of a process in progress: of all accounts together, and of one account. */
  questionsMax: 32,
  questionsPerAccountMax: 8,
  /** Limit of an account's spending per UTC day and process, USD. Chosen. */
  dailyUsdMax: 1,
  unknownPrices,
  /** Assumed characters per token, to estimate a question's cost. */
  charactersPerToken: 3,
  /** Maximum number of tokens of an answer: a fixed part, and a part for each candidate. */
  answerTokens: 1_500,
  answerTokensPerCandidate: 80,
  /** `openMs` is long, because a probe of a reasoner that does not answer takes all of `timeoutMs`. */
  breaker: { failuresMax: 5, openMs: 2_000, slowMs: 2_000 }
}

export type ReasonerSettings = Readonly<typeof reasonerSettings>
