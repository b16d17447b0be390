/** The health of models at their providers, computed from the number of calls in each minute. */

/**
 * An API key's users are mapped to 4 numbers, and keys to 8,192, so that the table of calls stays small.
 * Two users of a key have the same number with a probability of 1 in 4, and then count as one user.
 */
const usersPerKey = 4
const keys = 8_192

/** Computes a number in [0, 2^15), which does not identify the caller, from hashes of key and user. */
export const reporterOf = (keyHash: number, userHash: number): number =>
  keyHash % keys * usersPerKey + userHash % usersPerKey

const keyOf = ({ reporter }: Pick<CallCount, "reporter">): number => Math.floor(reporter / usersPerKey)

/** The calls of one model that one reporter reported in one minute. */
export interface CallCount {
  /** Minute of the calls, as a number of minutes since 1970. */
  readonly minute: number
  readonly provider: string
  readonly modelId: string
  /** Number that stands for the caller, made by {@link reporterOf}. */
  readonly reporter: number
  readonly calls: number
  /** Number of calls that the infrastructure broke, rate limits included, in [0, calls]. */
  readonly failures: number
  readonly rateLimits: number
  /** Number of calls in the last run of equal outcomes, > 0 for good calls and < 0 for broken calls. */
  readonly run: number
  /** Time of the last broken call, ms since 1970; null if no call broke. */
  readonly failedAtMs: number | null
  /** End of the wait that the provider asked for, ms since 1970; null if it asked for none. */
  readonly retryAtMs: number | null
}

export interface HealthRule {
  /** Length of the window of judged calls, which ends at the last failure, in minutes. */
  readonly windowMinutes: number
  /** Minimum calls in the window, and minimum share of broken calls, from which a model counts as failing. */
  readonly callsMin: number
  readonly shareMin: number
  /** Usual share of broken calls, and the number of calls that this share weighs as much as. */
  readonly usualShare: number
  readonly usualCalls: number
  /** Minimum number of a model's calls that count for or against its provider as a whole. */
  readonly modelCallsMin: number
  /** Minimum failures in a row, at each of two providers, that show an outage of a reporter's network. */
  readonly ownRunMin: number
  /** Maximum probability, at the failure share, of a run of good calls that makes a model healthy. */
  readonly recoveryChance: number
  /** Time without a failure after which a model counts as healthy, ms. */
  readonly quietMs: number
  /** Time from a failure to the next try, ms. */
  readonly probeAfterMs: number
}

export interface ModelHealth {
  readonly provider: string
  /** The model's id; null if the health is that of the provider as a whole. */
  readonly modelId: string | null
  readonly isHealthy: boolean
  /** True if the calls of the window show a failure, even if the model may have recovered since. */
  readonly hasFailed: boolean
  readonly calls: number
  readonly failures: number
  readonly rateLimits: number
  readonly failedAtMs: number
  /** Time from which one caller at a time may try the model again, ms since 1970. */
  readonly probeAtMs: number
}

const sum = <A>(of: ReadonlyArray<A>, value: (each: A) => number): number =>
  of.reduce((total, each) => total + value(each), 0)

const callsOf = (counts: ReadonlyArray<CallCount>): number => sum(counts, ({ calls }) => calls)
const failuresOf = (counts: ReadonlyArray<CallCount>): number => sum(counts, ({ failures }) => failures)

const lastFailure = (counts: ReadonlyArray<CallCount>): CallCount | null =>
  counts.reduce<CallCount | null>((last, each) =>
    each.failedAtMs !== null && each.failedAtMs > (last?.failedAtMs ?? -Infinity) ? each : last, null)

const grouped = (
  counts: ReadonlyArray<CallCount>,
  key: (count: CallCount) => string | number
): ReadonlyArray<ReadonlyArray<CallCount>> => [...Map.groupBy(counts, key).values()]

const shrunkShare = (
  { usualCalls, usualShare }: HealthRule,
  counts: ReadonlyArray<CallCount>
): number => (failuresOf(counts) + usualCalls * usualShare) / (callsOf(counts) + usualCalls)

/** Computes the length of a reporter's last run of equal outcomes; it is below 0 for broken calls. */
const trailingRun = (counts: ReadonlyArray<CallCount>): number => {
  let run = 0
  for (const each of counts.toSorted((one, other) => other.minute - one.minute)) {
    if (run * each.run < 0) break
    run += each.run
    if (Math.abs(each.run) < each.calls) break
  }
  return run
}

/** True if a reporter's own network is out: its last calls to all models broke, at two or more providers. */
const isCutOff = ({ ownRunMin, windowMinutes }: HealthRule, counts: ReadonlyArray<CallCount>): boolean => {
  const lastMinute = Math.max(...counts.map(({ minute }) => minute))
  const recent = counts.filter(({ minute }) => minute > lastMinute - windowMinutes)
  const runs = grouped(recent, ({ provider }) => provider).map((ofProvider) =>
    grouped(ofProvider, ({ modelId }) => modelId).map(trailingRun))
  const broken = runs.filter((ofModels) => -ofModels.reduce((total, run) => total + run, 0) >= ownRunMin)
  return broken.length > 1 && runs.flat().every((run) => run < 0)
}

/**
 * Returns true if callers other than the one with the most failures see enough failures, or have too few
 * calls to tell. Each caller weighs at most `callsMin` calls.
 */
const isSharedBy = (
  { callsMin, shareMin }: HealthRule,
  counts: ReadonlyArray<CallCount>,
  callerOf: (count: CallCount) => number
): boolean => {
  const reporters = grouped(counts, callerOf).map((own) => {
    const calls = callsOf(own)
    const weight = Math.min(1, callsMin / calls)
    return { calls: weight * calls, failures: weight * failuresOf(own) }
  })
  const others = reporters.toSorted((one, other) => other.failures - one.failures).slice(1)
  const calls = sum(others, (each) => each.calls)
  return calls < callsMin || sum(others, (each) => each.failures) >= shareMin * calls
}

/** Returns true if enough calls broke, and not for one user or key alone. */
const fails = (rule: HealthRule, counts: ReadonlyArray<CallCount>): boolean =>
  callsOf(counts) >= rule.callsMin && shrunkShare(rule, counts) >= rule.shareMin
  && isSharedBy(rule, counts, ({ reporter }) => reporter) && isSharedBy(rule, counts, keyOf)

/** Returns true if two or more models of a provider have enough calls, and all of them fail. */
const failsAsOne = (rule: HealthRule, counts: ReadonlyArray<CallCount>): boolean => {
  const models = grouped(counts, ({ modelId }) => modelId)
    .filter((ofModel) => callsOf(ofModel) >= rule.modelCallsMin)
  return models.length > 1 && fails(rule, counts)
    && models.every((ofModel) => shrunkShare(rule, ofModel) >= rule.shareMin)
}

/** Counts good calls since the last failure; in that minute, only those of the failure's reporter count. */
const wellSince = (counts: ReadonlyArray<CallCount>, last: CallCount): number =>
  Math.max(0, last.run)
  + callsOf(counts.filter(({ minute }) => minute > last.minute))

/** Computes how many good calls in a row are so unlikely at the failure share that a model is healthy. */
const recoveryCalls = ({ recoveryChance }: HealthRule, share: number): number =>
  share >= 1 ? 1 : Math.ceil(Math.log(recoveryChance) / Math.log1p(-share))

/** Earliest time at which a caller with failures may call again, ms since 1970; 0 if at once. */
const retryAtMs = (counts: ReadonlyArray<CallCount>): number =>
  Math.min(...grouped(counts.filter(({ failures }) => failures > 0), ({ reporter }) => reporter)
    .map((own) => Math.max(...own.map(({ retryAtMs }) => retryAtMs ?? 0))))

/** Computes a model's health, or a provider's if `modelId` is null; null if no call broke in `quietMs`. */
const healthOf = (
  rule: HealthRule,
  counts: ReadonlyArray<CallCount>,
  nowMs: number,
  modelId: string | null
): ModelHealth | null => {
  const last = lastFailure(counts)
  if (last === null || last.failedAtMs === null || nowMs - last.failedAtMs >= rule.quietMs) return null
  const window = counts.filter(({ minute }) =>
    minute <= last.minute && minute > last.minute - rule.windowMinutes)
  const hasFailed = modelId === null ? failsAsOne(rule, window) : fails(rule, window)
  return {
    provider: last.provider,
    modelId,
    hasFailed,
    isHealthy: !hasFailed || wellSince(counts, last) >= recoveryCalls(rule, shrunkShare(rule, window)),
    calls: callsOf(window),
    failures: failuresOf(window),
    rateLimits: sum(window, ({ rateLimits }) => rateLimits),
    failedAtMs: last.failedAtMs,
    probeAtMs: Math.min(
      last.failedAtMs + rule.quietMs,
      Math.max(last.failedAtMs + rule.probeAfterMs, retryAtMs(window))
    )
  }
}

/**
 * Computes the health of each model with a recent broken call, and of each provider that fails as a whole. A
 * failing model is unhealthy until enough good calls in a row, or until no call has broken for `quietMs`. If
 * a model's provider fails as a whole, the provider's health counts.
 *
 * @param counts the recent calls of one account, in any order
 */
export const modelHealth = (
  rule: HealthRule,
  counts: ReadonlyArray<CallCount>,
  nowMs: number
): ReadonlyArray<ModelHealth> => {
  const heard = grouped(counts, ({ reporter }) => reporter).filter((own) => !isCutOff(rule, own)).flat()
  return grouped(heard, ({ provider }) => provider).flatMap((ofProvider) => {
    const whole = healthOf(rule, ofProvider, nowMs, null)
    const isOut = whole !== null && whole.hasFailed
    const models = grouped(ofProvider, ({ modelId }) => modelId).flatMap((ofModel) => {
      const own = healthOf(rule, ofModel, nowMs, ofModel[0]!.modelId)
      if (own === null) return []
      return [isOut ? { ...own, isHealthy: whole.isHealthy, probeAtMs: whole.probeAtMs } : own]
    })
    return isOut ? [whole, ...models] : models
  })
}
