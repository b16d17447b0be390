/** Limits of the reasoner: time, size, concurrency and spending. */
import type { ListPrices } from "../domain/model/Model.ts"

/** Prices assumed for a reasoner that the catalog does not know: those of the dearest small models. */
const unknownPrices: ListPrices = { inputCostPerMtok: 1, outputCostPerMtok: 5, cacheReadCostPerMtok: null }

export const reasonerSettings = {
  /** Longest wait for one answer, ms. Chosen. SEXTANT_REASONER_TIMEOUT_MS overrides it. */
  timeoutMs: 8_000,
  // A connection to another continent takes up to half a second.
  connectMs: 2_000,
  // 64 candidates with 300 characters each are 20 kB. Some services add the question or their thoughts.
  answerBytesMax: 256_000,
  // One connection for each question in progress.
  connectionsMax: 32,
  // Load balancers close idle connections later, so no request uses a connection that was just closed.
  keepAliveMs: 30_000,
  /**
   * Most different questions in progress, in all and per account, counts. If an answer takes 2 s, that is 16
   * questions a second. A workflow asks 8 at once, and other accounts still have room.
   */
  questionsMax: 32,
  questionsPerAccountMax: 8,
  /**
   * Most that an account may spend on the reasoner per UTC day, USD. A dollar pays about 500 questions at
   * list prices of small models, and limits the cost of a faulty caller. Chosen.
   */
  dailyUsdMax: 1,
  unknownPrices,
  /**
   * Characters per token, to estimate a question's cost before it is sent. English has 4, other scripts have
   * 1 to 3. The estimate should not be too low.
   */
  charactersPerToken: 3,
  /**
   * Most tokens of an answer: a fixed number, and a number for each candidate. A model may think before it
   * answers. An entry takes 40 to 60 tokens.
   */
  answerTokens: 1_500,
  answerTokensPerCandidate: 80,
  /** Probes are rare, because a probe of a hanging reasoner waits for the whole time limit. */
  breaker: { failuresMax: 5, openMs: 2_000, slowMs: 2_000 }
}

export type ReasonerSettings = Readonly<typeof reasonerSettings>
