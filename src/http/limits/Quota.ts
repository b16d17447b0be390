/* Token buckets that limit the units of work of an account in a window. */
import { BoundedMap } from "../../resilience/BoundedMap.ts"

export interface QuotaState {
  readonly isAllowed: boolean
  /** Number of units that are left, at least 0. */
  readonly remaining: number
  /** Seconds until the quota is full again, rounded up. */
  readonly resetSeconds: number
  /** Seconds until the next request is allowed, rounded up; 0 if the current request was allowed. */
  readonly retrySeconds: number
}

export interface Quota {
  /** Charges a request of at least one unit, unless no unit is left. */
  readonly spend: (key: string, nowMs: number, units: number) => QuotaState
  /** Charges further units of a request that was allowed. */
  readonly owe: (key: string, nowMs: number, units: number) => QuotaState
}

interface Bucket {
  tokens: number
  atMs: number
}

/**
 * Makes token buckets of `limit` units, which refill evenly over the window. A request is allowed while one
 * whole unit is left, and may make the bucket negative. At most `keysMax` buckets are stored; the longest
 * unused is dropped first. Times are monotonic.
 */
export const makeQuota = (options: {
  readonly limit: number
  readonly windowSeconds: number
  readonly keysMax: number
}): Quota => {
  const { keysMax, limit, windowSeconds } = options
  const perMs = limit / (windowSeconds * 1_000)
  const buckets = new BoundedMap<string, Bucket>(keysMax)
  const seconds = (tokens: number): number => Math.ceil(Math.max(0, tokens) / perMs / 1_000)

  const refilled = (key: string, nowMs: number): number => {
    const before = buckets.get(key) ?? { tokens: limit, atMs: nowMs }
    return Math.min(limit, before.tokens + Math.max(0, nowMs - before.atMs) * perMs)
  }
  const keep = (key: string, nowMs: number, left: number, isAllowed: boolean): QuotaState => {
    buckets.set(key, { tokens: left, atMs: nowMs })
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
