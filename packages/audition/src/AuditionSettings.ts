/** Numbers of an audition. */
export const auditionSettings = {
  /** Most models, count. Chosen. */
  modelsMax: 16,
  /** Most prompts, count. Chosen. */
  promptsMax: 10_000,
  /** Parallel calls, count: few, so that the choice of the next model knows most results. Chosen. */
  callsAtOnce: 4,
  /** Longest time of a call, ms: a model that thinks for 2,000 tokens needs a minute. Chosen. */
  callMs: 180_000,
  /** Most retries of a call, count. They take a minute, so that a limit per minute is over. */
  retriesMax: 6,
  /** Pause before the first retry, ms; later pauses double. */
  retryMs: 1_000,
  /** Longest wait for a provider's `Retry-After`, ms, which suits limits per minute. */
  retryAfterMsMax: 60_000,
  /** Longest time of a gate's command, ms. Chosen. */
  gateMs: 60_000,
  /** Prompts that every model answers first, count: the fewest that distinguish costs. */
  firstPrompts: 8,
  /** Chance of being best at which the order is clear, share; checked after every call. Chosen. */
  sureFrom: 0.99,
  /** Least quality of a success, share. The judge's prompt says that an answer of 8 of 10 is usable. */
  successFrom: 0.8,
  /** Consecutive left-out calls after which a model is not asked again, count. Chosen. */
  leftOutRunMax: 5,
  /** Tokens that a provider may add to a call and to each message, count; known providers add under 10. */
  templateTokens: 32,
  /** Most bytes of a judged answer per allowed token. English has 4 to 5 bytes per token. */
  answerBytesPerToken: 6,
  /** Values of a success at which the page names the best model, USD. */
  valuesUsd: [0.01, 0.03, 0.1, 0.3, 1, 10]
}

export type AuditionSettings = Readonly<typeof auditionSettings>
