/** Limits of the reasoner: time, size, concurrency and spending. */
import type { ListPrices } from "../domain/model/Model.ts"

/** Prices assumed for an unknown reasoner: those of the most expensive small models. */
const unknownPrices: ListPrices = { inputCostPerMtok: 1, outputCostPerMtok: 5, cacheReadCostPerMtok: null }

export const reasonerSettings = {
  /** Longest wait for one answer, ms. Chosen. SEXTANT_REASONER_TIMEOUT_MS overrides it. */
  timeoutMs: 8_000,
  // A connection to another continent takes up to half a second.
  connectMs: 2_000,
  // An answer about 64 candidates has 20 kB, and some services repeat the question or add thoughts.
  answerBytesMax: 256_000,
  // There is one connection for each question in progress.
  connectionsMax: 32,
  // Load balancers close idle connections later, so no request uses a connection that was just closed.
  keepAliveMs: 30_000,
  /**
   * Maximum number of questions in progress, over all accounts and per account. A workflow asks 8 questions
   * at once, and the total leaves room for other accounts.
   */
  questionsMax: 32,
  questionsPerAccountMax: 8,
  /** Maximum spending of an account per UTC day, USD: some 500 questions to a small model. Chosen. */
  dailyUsdMax: 1,
  unknownPrices,
  /** Characters per token, to estimate a question's cost. English has 4, and other scripts have 1 to 3. */
  charactersPerToken: 3,
  /** Maximum number of tokens of an answer: room to think, and room for the 40 to 60 tokens per candidate. */
  answerTokens: 1_500,
  answerTokensPerCandidate: 80,
  /** Probes are rare, because a probe of a reasoner that does not answer takes the whole time limit. */
  breaker: { failuresMax: 5, openMs: 2_000, slowMs: 2_000 }
}

export type ReasonerSettings = Readonly<typeof reasonerSettings>
