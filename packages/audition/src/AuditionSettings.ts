/** Numbers of an audition. */
export const auditionSettings = {
  /** Most models, and most prompts, count. Chosen. */
  modelsMax: 16,
  promptsMax: 10_000,
  /** Calls under way at once, count: few, so that the choice of the next knows of most results. Chosen. */
  callsAtOnce: 4,
  /** Longest that a call may take, ms: a model that thinks over 2,000 tokens needs a minute. Chosen. */
  callMs: 180_000,
  /** Further attempts at a call, count, and the pause before the first, ms, which doubles: a minute in all,
   * after which a limit by the minute is over. */
  retriesMax: 6,
  retryMs: 1_000,
  /** Longest wait that a provider's `Retry-After` is granted before an attempt, ms: limits by the minute. */
  retryAfterMsMax: 60_000,
  /** Longest that a gate's command may take, ms. Chosen. */
  gateMs: 60_000,
  /** Prompts that every model answers before any is preferred, count: the least that tell costs apart. */
  firstPrompts: 8,
  /** Chance of being the best at which the order is clear, share; looked at after every call. Chosen. */
  sureFrom: 0.99,
  /** Least quality of a success, share: the judge's prompt says that 8 of 10 can be used as it is. */
  successFrom: 0.8,
  /** Calls left out in a row after which a model is asked no more, count: more say nothing new. Chosen. */
  leftOutRunMax: 5,
  /** Tokens that a provider may add to a call and to each message, count: known ones add under 10. */
  templateTokens: 32,
  /** Most bytes of an answer that a judge reads, for each token that it may have: English has 4 to 5. */
  answerBytesPerToken: 6,
  /** Values of a success for which the page names a model, USD: the backtest's. */
  valuesUsd: [0.01, 0.03, 0.1, 0.3, 1, 10]
}

export type AuditionSettings = Readonly<typeof auditionSettings>
