/** Limits of the reasoner: time, size, concurrency, spending. */
import type { ListPrices } from "../domain/model/Model.ts"
import type { BreakerSettings } from "../resilience/CircuitBreaker.ts"
import type { TransportSettings } from "../resilience/HttpTransport.ts"

export interface ReasonerSettings extends TransportSettings {
  /** Longest wait for one answer, in milliseconds. */
  readonly timeoutMs: number
  /** Most different questions in progress at once, in all and for one account, count. */
  readonly questionsMax: number
  readonly questionsPerAccountMax: number
  /** Most that an account may spend from one midnight UTC to the next, in USD. */
  readonly dailyUsdMax: number
  /** Assumed prices of a reasoner that the catalog does not know. */
  readonly unknownPrices: ListPrices
  /** Characters of a question per token, for the estimate that is reserved before it is sent. */
  readonly charactersPerToken: number
  /** Most tokens of an answer: this, and so many for each candidate. */
  readonly answerTokens: number
  readonly answerTokensPerCandidate: number
  readonly breaker: BreakerSettings
}

export const reasonerSettings: ReasonerSettings = {
  // Chosen; overridden by SEXTANT_REASONER_TIMEOUT_MS.
  timeoutMs: 8_000,
  // A service in reach connects within milliseconds, another continent within half a second.
  connectMs: 2_000,
  // 64 candidates with 300 characters each are 20 kB; some services add the question or their thoughts.
  answerBytesMax: 256_000,
  // One for each question in progress.
  connectionsMax: 32,
  // Less than common load balancers allow, so that no request goes into a connection just closed.
  keepAliveMs: 30_000,
  // At 2 s an answer 16 a second; a workflow asks 8 at once, and one account leaves room for others.
  questionsMax: 32,
  questionsPerAccountMax: 8,
  // Chosen: some 500 questions at list prices of small models; a runaway caller stays cheap.
  dailyUsdMax: 1,
  // The dearest that is still sold as small; an unknown model must not look cheaper than it is.
  unknownPrices: { inputCostPerMtok: 1, outputCostPerMtok: 5, cacheReadCostPerMtok: null },
  // English has 4, other scripts 1 to 3; the reserved amount should not be too small.
  charactersPerToken: 3,
  // Room for a model that thinks before it answers; an entry is 40 to 60 tokens.
  answerTokens: 1_500,
  answerTokensPerCandidate: 80,
  // A probe of a hung reasoner costs the whole wait, so probes are rare; a recovered one is used in 2 s.
  breaker: { failuresMax: 5, openMs: 2_000, slowMs: 2_000 }
}
