/** What is left of a quota after a request was counted, or was not. */
export interface Counted {
  readonly isAllowed: boolean
  /** Requests that may be made at once now. */
  readonly remaining: number
  /** Until the quota is whole again, in seconds, rounded up. */
  readonly resetSeconds: number
  /** Until the next request is allowed, in seconds, rounded up; 0 when it is. */
  readonly retrySeconds: number
}

interface Bucket {
  tokens: number
  atMs: number
}

/**
 * Token buckets: `limit` requests at once, refilled evenly over the window. At most `keysMax` are kept, the
 * least recently used one goes first; times are monotonic.
 */
export const makeQuota = (options: {
  readonly limit: number
  readonly windowSeconds: number
  readonly keysMax: number
}): (key: string, nowMs: number) => Counted => {
  const { keysMax, limit, windowSeconds } = options
  const perMs = limit / (windowSeconds * 1_000)
  const buckets = new Map<string, Bucket>()
  const seconds = (tokens: number): number => Math.ceil(Math.max(0, tokens) / perMs / 1_000)

  return (key, nowMs) => {
    const before = buckets.get(key) ?? { tokens: limit, atMs: nowMs }
    const tokens = Math.min(limit, before.tokens + Math.max(0, nowMs - before.atMs) * perMs)
    const isAllowed = tokens >= 1
    const left = isAllowed ? tokens - 1 : tokens
    buckets.delete(key)
    buckets.set(key, { tokens: left, atMs: nowMs })
    for (const oldest of buckets.keys()) {
      if (buckets.size <= keysMax) break
      buckets.delete(oldest)
    }
    return {
      isAllowed,
      remaining: Math.floor(left),
      resetSeconds: seconds(limit - left),
      retrySeconds: isAllowed ? 0 : Math.max(1, seconds(1 - left))
    }
  }
}
