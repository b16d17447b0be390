/** Numbers of an audition. */
export const auditionSettings = {
  /** Maximum number of models. Chosen. */
  modelsMax: 16,
  /** Maximum number of prompts. Chosen. */
  promptsMax: 10_000,
  /** Parallel calls, count: few, so that the choice of the next model knows most results. Chosen. */
  callsAtOnce: 4,
  /** Longest time of one attempt at a call, ms: a model that thinks may need a minute. Chosen. */
  callMs: 180_000,
  /** Maximum number of retries of a call. */
  retriesMax: 6,
  /** Mean pause before the first retry, ms; later pauses double. */
  retryMs: 1_000,
  /** Longest wait that a provider can ask for with `Retry-After`, ms. */
  retryAfterMsMax: 60_000,
  /** Longest time of a gate's command, ms. Chosen. */
  gateMs: 60_000,
  /** Number of prompts that every model gets before only the leader and its rival get more. */
  firstPrompts: 8,
  /** An audition may end once a model is the best one with at least this chance, share. Chosen. */
  sureFrom: 0.99,
  /** Minimum quality of a success, share. By the judge's prompt, an answer of 8 can be used as it is. */
  successFrom: 0.8,
  /** Number of consecutive calls without a grade after which a model is not asked again. Chosen. */
  leftOutRunMax: 5,
  /** Number of tokens that a provider may add to each message of a call, and once to the call itself. */
  templateTokens: 32,
  /** Maximum length of an answer that the judge grades, in bytes per token of the output limit. */
  answerBytesPerToken: 6,
  /** Values of a success at which the report names the best model, USD. */
  valuesUsd: [0.01, 0.03, 0.1, 0.3, 1, 10]
}

export type AuditionSettings = Readonly<typeof auditionSettings>
