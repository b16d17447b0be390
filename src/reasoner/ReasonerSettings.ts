/** Limits of the reasoner: time, size, concurrency and spending. */
import type { ListPrices } from "../domain/model/Model.ts"

/**
 * Prices assumed for a reasoner that the catalog does not know, which are those of the most expensive small
 * models.
 */
const unknownPrices: ListPrices = { inputCostPerMtok: 1, outputCostPerMtok: 5, cacheReadCostPerMtok: null }

export const reasonerSettings = {
  /** Longest wait for one answer, ms. Chosen. SEXTANT_REASONER_TIMEOUT_MS overrides it. */
  timeoutMs: 8_000,
  // A connection to another continent takes up to half a second.
  connectMs: 2_000,
  // An answer about 64 candidates with 300 characters each has 20 kB. Some services repeat the question or
  // add the model's thoughts.
  answerBytesMax: 256_000,
  // There is one connection for each question in progress.
  connectionsMax: 32,
  // Load balancers close idle connections after a longer time, so no request uses a connection that was just
  // closed.
  keepAliveMs: 30_000,
  /**
   * Maximum number of different questions in progress, over all accounts and per account. If an answer takes
   * 2 s, these limits allow 16 questions a second. A workflow asks 8 questions at once, and the total leaves
   * room for other accounts.
   */
  questionsMax: 32,
  questionsPerAccountMax: 8,
  /**
   * Maximum amount that an account may spend on the reasoner per UTC day, USD. A dollar pays for about 500
   * questions at the list prices of small models, and the limit bounds the cost of a faulty caller. Chosen.
   */
  dailyUsdMax: 1,
  unknownPrices,
  /**
   * Number of characters per token, by which a question's cost is estimated before it is sent. English text
   * has 4 characters per token, and other scripts have 1 to 3. A small number is chosen, because the
   * estimated cost should not be too low.
   */
  charactersPerToken: 3,
  /**
   * Maximum number of tokens of an answer: a fixed number, and a number for each candidate. The fixed number
   * leaves room for a model that thinks before it answers. The entry of a candidate takes 40 to 60 tokens.
   */
  answerTokens: 1_500,
  answerTokensPerCandidate: 80,
  /** Probes are rare, because a probe of a reasoner that does not answer takes the whole time limit. */
  breaker: { failuresMax: 5, openMs: 2_000, slowMs: 2_000 }
}

export type ReasonerSettings = Readonly<typeof reasonerSettings>
