/** Limits of the reasoner: time, size, concurrency, spending. */
import type { ListPrices } from "../domain/model/Model.ts"

/** Assumed of a reasoner that the catalog does not know: the dearest that is still sold as small. */
const unknownPrices: ListPrices = { inputCostPerMtok: 1, outputCostPerMtok: 5, cacheReadCostPerMtok: null }

export const reasonerSettings = {
  /** Longest wait for one answer, ms. Chosen; overridden by SEXTANT_REASONER_TIMEOUT_MS. */
  timeoutMs: 8_000,
  // A service in reach connects within milliseconds, another continent within half a second.
  connectMs: 2_000,
  // 64 candidates with 300 characters each are 20 kB; some services add the question or their thoughts.
  answerBytesMax: 256_000,
  // One for each question in progress.
  connectionsMax: 32,
  // Less than common load balancers allow, so that no request goes into a connection just closed.
  keepAliveMs: 30_000,
  /**
   * Most different questions in progress at once, in all and for one account. At 2 s an answer 16 a second; a
   * workflow asks 8 at once, and one account leaves room for others.
   */
  questionsMax: 32,
  questionsPerAccountMax: 8,
  /**
   * Most that an account may spend from one midnight UTC to the next, USD. Chosen: some 500 questions at list
   * prices of small models; a runaway caller stays cheap.
   */
  dailyUsdMax: 1,
  unknownPrices,
  /**
   * Characters of a question per token, for the estimate that is reserved before it is sent. English has 4,
   * other scripts 1 to 3; the reserved amount should not be too small.
   */
  charactersPerToken: 3,
  /**
   * Most tokens of an answer: this, and so many for each candidate. Room for a model that thinks before it
   * answers; an entry is 40 to 60 tokens.
   */
  answerTokens: 1_500,
  answerTokensPerCandidate: 80,
  /** A probe of a hung reasoner costs the whole wait, so probes are rare; a recovered one is used in 2 s. */
  breaker: { failuresMax: 5, openMs: 2_000, slowMs: 2_000 }
}

export type ReasonerSettings = Readonly<typeof reasonerSettings>
