/** The health of models at their providers, from counts of calls by minute. */

/**
 * Numbers for the users of one API key, and for the keys. Few numbers keep the table small, because each
 * reporter has a row per model and minute while calls break. Two users of a key have the same number with a
 * chance of 1 in 4, and then count as one.
 */
const usersPerKey = 4
const keys = 8_192

/** The number of a caller, in [0, 2^15), from hashes of key and user. It does not identify the caller. */
export const reporterOf = (keyHash: number, userHash: number): number =>
  keyHash % keys * usersPerKey + userHash % usersPerKey

const keyOf = ({ reporter }: Pick<CallCount, "reporter">): number => Math.floor(reporter / usersPerKey)

/** Calls of one model that one reporter reported in one minute. */
export interface CallCount {
  /** Minutes since 1970. */
  readonly minute: number
  readonly provider: string
  readonly modelId: string
  /** Number of the caller, see {@link reporterOf}. */
  readonly reporter: number
  readonly calls: number
  /** Calls that the infrastructure broke, rate limits included, in [0, calls]. */
  readonly failures: number
  readonly rateLimits: number
  /** Length of the last run of equal outcomes, calls: above 0 for good calls, below 0 for broken calls. */
  readonly run: number
  /** Time of the last broken call, ms since 1970; null without one. */
  readonly failedAtMs: number | null
  /** End of the wait that the provider then asked for, ms since 1970; null if it asked for none. */
  readonly retryAtMs: number | null
}

export interface HealthRule {
  /** Minutes before the last failure in which calls count. */
  readonly windowMinutes: number
  /** Fewest calls in the window, and least share of broken calls, of a model that fails. */
  readonly callsMin: number
  readonly shareMin: number
  /** Usual share of broken calls, and the number of calls that it counts as. */
  readonly usualShare: number
  readonly usualCalls: number
  /** Fewest calls of a model that count for or against a provider as a whole. */
  readonly modelCallsMin: number
  /** Fewest failures in a row, at each of two providers, by which a reporter's own network is out. */
  readonly ownRunMin: number
    /** Highest probability, at the failure share, of a run of good calls that makes a model healthy again. */
  readonly recoveryChance: number
  /** Time without a failure after which a model is healthy, ms. */
  readonly quietMs: number
  /** Time from a failure to the next try, ms. */
  readonly probeAfterMs: number
}

/** The health of a model, or of a provider as a whole. */
export interface ModelHealth {
  readonly provider: string
  /** The model; null for the provider as a whole. */
  readonly modelId: string | null
  readonly isHealthy: boolean
  /** The calls of the window show a failure, from which the model may have recovered. */
  readonly hasFailed: boolean
  /** Counts in the window. */
  readonly calls: number
  readonly failures: number
  readonly rateLimits: number
  /** Time of the last broken call, ms since 1970. */
  readonly failedAtMs: number
  /** Time from which one caller may try the model, ms since 1970. */
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

/** Broken calls over calls, shrunk toward the usual share. */
const shrunkShare = (
  { usualCalls, usualShare }: HealthRule,
  counts: ReadonlyArray<CallCount>
): number => (failuresOf(counts) + usualCalls * usualShare) / (callsOf(counts) + usualCalls)

/** Length of a reporter's last run of equal outcomes over all minutes; below 0 for broken calls. */
const trailingRun = (counts: ReadonlyArray<CallCount>): number => {
  let run = 0
  for (const each of counts.toSorted((one, other) => other.minute - one.minute)) {
    if (run * each.run < 0) break
    run += each.run
    if (Math.abs(each.run) < each.calls) break
  }
  return run
}

/**
 * True if a reporter's own network is out: lately all its calls broke, at two providers or more. With one
 * provider it is unknown whether the network or the provider is out.
 */
const isCutOff = ({ ownRunMin, windowMinutes }: HealthRule, counts: ReadonlyArray<CallCount>): boolean => {
  const lastMinute = Math.max(...counts.map(({ minute }) => minute))
  const recent = counts.filter(({ minute }) => minute > lastMinute - windowMinutes)
  const runs = grouped(recent, ({ provider }) => provider).map((ofProvider) =>
    grouped(ofProvider, ({ modelId }) => modelId).map(trailingRun))
  const broken = runs.filter((ofModels) => -ofModels.reduce((total, run) => total + run, 0) >= ownRunMin)
  return broken.length > 1 && runs.flat().every((run) => run < 0)
}

/**
 * True if not only one caller sees the failures. The caller with most failures is left out; the others must
 * still see them, or have too few calls to tell. Each caller counts with `callsMin` calls at most.
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

/** True if enough calls broke, and not for one user or one key alone. A key can name any user. */
const fails = (rule: HealthRule, counts: ReadonlyArray<CallCount>): boolean =>
  callsOf(counts) >= rule.callsMin && shrunkShare(rule, counts) >= rule.shareMin
  && isSharedBy(rule, counts, ({ reporter }) => reporter) && isSharedBy(rule, counts, keyOf)

/** True if a provider fails as a whole: two or more models have enough calls, and all of these fail. */
const failsAsOne = (rule: HealthRule, counts: ReadonlyArray<CallCount>): boolean => {
  const models = grouped(counts, ({ modelId }) => modelId)
    .filter((ofModel) => callsOf(ofModel) >= rule.modelCallsMin)
  return models.length > 1 && fails(rule, counts)
    && models.every((ofModel) => shrunkShare(rule, ofModel) >= rule.shareMin)
}

/** Good calls since the last failure. In the minute of the failure, only calls of its reporter count. */
const wellSince = (counts: ReadonlyArray<CallCount>, last: CallCount): number =>
  Math.max(0, last.run)
  + callsOf(counts.filter(({ minute }) => minute > last.minute))

/** Good calls in a row, unlikely at the failure share, after which a model is healthy again. */
const recoveryCalls = ({ recoveryChance }: HealthRule, share: number): number =>
  share >= 1 ? 1 : Math.ceil(Math.log(recoveryChance) / Math.log1p(-share))

/** Earliest time at which a caller with failures may call again, ms since 1970; 0 if it need not wait. */
const retryAtMs = (counts: ReadonlyArray<CallCount>): number =>
  Math.min(...grouped(counts.filter(({ failures }) => failures > 0), ({ reporter }) => reporter)
    .map((own) => Math.max(...own.map(({ retryAtMs }) => retryAtMs ?? 0))))

/** The health of the model or provider of these calls; null if no call broke lately. */
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
 * The health of each model with a recent broken call, and of each provider that fails as a whole. A model
 * fails if enough of its calls broke in the window before its last failure. It is unhealthy until enough good
 * calls in a row, or until no call has broken for `quietMs`. If its provider fails as a whole, the provider's
 * health counts.
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
