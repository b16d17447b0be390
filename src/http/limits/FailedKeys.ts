/* Counts failed keys by place: an IPv4 address or an IPv6 network. */
import { BoundedMap } from "../../resilience/BoundedMap.ts"

/** All times are monotonic, ms. */
export interface FailedKeys {
  /** Returns for how long this place is still blocked, ms; 0 if it is not blocked. */
  readonly waitMs: (place: string, nowMs: number) => number
  /** Counts one failed key. Returns true if the place has just reached the limit. */
  readonly count: (place: string, nowMs: number) => boolean
  readonly size: () => number
}

interface FailureCount {
  readonly sinceMs: number
  count: number
}

/**
 * Counts the failed keys of each address or network, in windows that begin with its first failed key. Blocked
 * places are stored separately, so that places that are only counted cannot displace them.
 * @param options.placesMax maximum number of counted addresses and networks, and also of blocked ones
 */
export const makeFailedKeys = ({ limit, placesMax, windowMs }: {
  readonly limit: number
  readonly windowMs: number
  readonly placesMax: number
}): FailedKeys => {
  const counting = new BoundedMap<string, FailureCount>(placesMax)
  const blockedUntilMs = new BoundedMap<string, number>(placesMax)
  return {
    size: () => counting.size + blockedUntilMs.size,
    waitMs: (place, nowMs) => {
      const untilMs = blockedUntilMs.get(place)
      if (untilMs === undefined) return 0
      if (nowMs < untilMs) return untilMs - nowMs
      blockedUntilMs.delete(place)
      return 0
    },
    count: (place, nowMs) => {
      // Verifications that were in flight when the place was blocked change nothing.
      if ((blockedUntilMs.get(place) ?? -Infinity) > nowMs) return false
      const known = counting.get(place)
      const isOpen = known !== undefined && nowMs - known.sinceMs < windowMs
      const failures = isOpen ? known : { sinceMs: nowMs, count: 0 }
      failures.count++
      if (failures.count >= limit) {
        counting.delete(place)
        blockedUntilMs.set(place, failures.sinceMs + windowMs)
        return true
      }
      counting.set(place, failures)
      return false
    }
  }
}
