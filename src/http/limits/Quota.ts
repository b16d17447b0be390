/* Token buckets: how many units of work a key may have in a window. */

/** What is left of a quota after a request was counted, or was not. */
export interface Counted {
  readonly isAllowed: boolean
  /** Units that may be had at once now, >= 0. */
  readonly remaining: number
  /** Until the quota is whole again, in seconds, rounded up. */
  readonly resetSeconds: number
  /** Until the next request is allowed, in seconds, rounded up; 0 when it is. */
  readonly retrySeconds: number
}

export interface Quota {
  /** Counts a request of so many units, >= 1, unless none is left. */
  readonly spend: (key: string, nowMs: number, units: number) => Counted
  /** Counts what a request that was allowed takes besides. */
  readonly owe: (key: string, nowMs: number, units: number) => Counted
}

interface Bucket {
  tokens: number
  atMs: number
}

/**
 * Token buckets: `limit` units at once, refilled evenly over the window. A request is allowed while a whole
 * unit is left, whatever it takes; what it takes beyond is owed, and nothing is allowed before it is made up.
 * At most `keysMax` are kept, the least recently used one goes first; times are monotonic.
 */
export const makeQuota = (options: {
  readonly limit: number
  readonly windowSeconds: number
  readonly keysMax: number
}): Quota => {
  const { keysMax, limit, windowSeconds } = options
  const perMs = limit / (windowSeconds * 1_000)
  const buckets = new Map<string, Bucket>()
  const seconds = (tokens: number): number => Math.ceil(Math.max(0, tokens) / perMs / 1_000)

  const refilled = (key: string, nowMs: number): number => {
    const before = buckets.get(key) ?? { tokens: limit, atMs: nowMs }
    return Math.min(limit, before.tokens + Math.max(0, nowMs - before.atMs) * perMs)
  }
  const keep = (key: string, nowMs: number, left: number, isAllowed: boolean): Counted => {
    buckets.delete(key)
    buckets.set(key, { tokens: left, atMs: nowMs })
    for (const oldest of buckets.keys()) {
      if (buckets.size <= keysMax) break
      buckets.delete(oldest)
    }
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(left)),
      resetSeconds: seconds(limit - left),
      retrySeconds: isAllowed ? 0 : Math.max(1, seconds(1 - left))
    }
  }
  return {
    spend: (key, nowMs, units) => {
      const tokens = refilled(key, nowMs)
      const isAllowed = tokens >= 1
      return keep(key, nowMs, isAllowed ? tokens - units : tokens, isAllowed)
    },
    owe: (key, nowMs, units) => keep(key, nowMs, refilled(key, nowMs) - units, true)
  }
}
