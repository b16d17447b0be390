/** Which models fail at their provider now, from counts of calls by minute, and when to try one again. */

/**
 * Numbers that stand for the users of a key, count: what is kept names no caller, and stays small. While
 * calls break, each is a row per model and minute. Two users share a number, so that neither speaks against
 * the other, with a chance of 1 in 4.
 */
const usersPerKey = 4
const keys = 8_192

/** The number that stands for a caller, in [0, 2^15), by hashes of its key and of the user that it names. */
export const reporterOf = (keyHash: number, userHash: number): number =>
  keyHash % keys * usersPerKey + userHash % usersPerKey

const keyOf = ({ reporter }: Pick<CallCount, "reporter">): number => Math.floor(reporter / usersPerKey)

/** Calls of one model that one reporter reported in one minute. */
export interface CallCount {
  /** Minutes since 1970. */
  readonly minute: number
  readonly provider: string
  readonly modelId: string
  /** See {@link reporterOf}. */
  readonly reporter: number
  readonly calls: number
  /** Calls that the infrastructure broke, rate limits among them, in [0, calls]. */
  readonly failures: number
  readonly rateLimits: number
  /** Last outcomes that are alike, count: calls that went well, or below 0 broken ones. */
  readonly run: number
  /** Of the last broken call, ms since 1970, and until when its provider asked to wait; null without one. */
  readonly failedAtMs: number | null
  readonly retryAtMs: number | null
}

export interface HealthRule {
  /** Minutes up to the last failure whose calls count. */
  readonly windowMinutes: number
  /** Fewest calls in them, and least share of broken ones, at which a model is passed by. */
  readonly callsMin: number
  readonly shareMin: number
  /** Share of broken calls that is usual, and the calls that it weighs as. */
  readonly usualShare: number
  readonly usualCalls: number
  /** Fewest calls of a model that speak for or against a provider that is out as a whole. */
  readonly modelCallsMin: number
  /** Fewest failures in a row, at two providers, of a reporter whose own network is out. */
  readonly ownRunMin: number
  /** A model is well after so many good calls in a row that, at its share of broken ones, they have a chance
   * under this. */
  readonly recoveryChance: number
  /** Time without a failure after which all is forgotten, ms. */
  readonly quietMs: number
  /** Time from a failure to the next try, ms. */
  readonly probeAfterMs: number
}

/** How a model, or a provider as a whole, does. */
export interface ModelHealth {
  readonly provider: string
  /** Null for the provider as a whole. */
  readonly modelId: string | null
  readonly isHealthy: boolean
  /** Whether the calls of the window say that it fails; it may have recovered since. */
  readonly hasFailed: boolean
  /** In the window. */
  readonly calls: number
  readonly failures: number
  readonly rateLimits: number
  /** When the last call broke, ms since 1970. */
  readonly failedAtMs: number
  /** From when one caller may try it, ms since 1970. */
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

/** Last outcomes of a reporter that are alike, over minutes: good calls, or below 0 broken ones. */
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
 * Whether a reporter's own network is out: lately each of its calls broke, of two providers or more. Of one
 * provider alone it cannot be known: the next one tells.
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
 * Whether failures are more than one caller's: without the caller of most of them, the others still see them,
 * or have too few calls to tell. Each counts with `callsMin` calls at most.
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

/** A key can name any user, so that failures must come from more than one key as well. */
const fails = (rule: HealthRule, counts: ReadonlyArray<CallCount>): boolean =>
  callsOf(counts) >= rule.callsMin && shrunkShare(rule, counts) >= rule.shareMin
  && isSharedBy(rule, counts, ({ reporter }) => reporter) && isSharedBy(rule, counts, keyOf)

/** Whether a provider fails as a whole: two of its models or more, and none that has enough calls is well. */
const failsAsOne = (rule: HealthRule, counts: ReadonlyArray<CallCount>): boolean => {
  const models = grouped(counts, ({ modelId }) => modelId)
    .filter((ofModel) => callsOf(ofModel) >= rule.modelCallsMin)
  return models.length > 1 && fails(rule, counts)
    && models.every((ofModel) => shrunkShare(rule, ofModel) >= rule.shareMin)
}

/** Calls that went well since the last failure; of its minute only those of its reporter. */
const wellSince = (counts: ReadonlyArray<CallCount>, last: CallCount): number =>
  Math.max(0, last.run)
  + callsOf(counts.filter(({ minute }) => minute > last.minute))

/** Good calls in a row after which a model is well again: at its share of failures they would be unlikely. */
const recoveryCalls = ({ recoveryChance }: HealthRule, share: number): number =>
  share >= 1 ? 1 : Math.ceil(Math.log(recoveryChance) / Math.log1p(-share))

/** When the first of the callers that were refused may call again. */
const retryAtMs = (counts: ReadonlyArray<CallCount>): number =>
  Math.min(...grouped(counts.filter(({ failures }) => failures > 0), ({ reporter }) => reporter)
    .map((own) => Math.max(...own.map(({ retryAtMs }) => retryAtMs ?? 0))))

/** How the model or provider of these calls does; null where none broke lately. */
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
 * The health of each model that lately broke for some caller, and of each provider that fails as a whole. A
 * model fails where, in the five minutes up to its last failure, enough calls of any caller broke. It is
 * then unhealthy until good calls in a row speak against that, or nothing has broken for ten minutes. While
 * its provider fails as a whole, a model does as its provider does.
 *
 * @param counts the calls of one account in the last quarter of an hour, in any order
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
