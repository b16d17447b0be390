/** How often keys from one place have failed of late. Times are monotonic, in ms. */
export interface FailedKeys {
  /** How long no key is verified for this place, ms; 0 when one may be. */
  readonly waitMs: (place: string, nowMs: number) => number
  /** Counts a key that failed; true when the place has just reached the limit. */
  readonly count: (place: string, nowMs: number) => boolean
  /** Places that are remembered, of both kinds. */
  readonly size: () => number
}

interface Failures {
  readonly sinceMs: number
  count: number
}

/** Drops the oldest entries until there are at most so many. */
const bound = (entries: Map<string, unknown>, max: number): void => {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(oldest)
  }
}

/**
 * Counts failures by place in windows that begin with the first of them. Places that have reached the limit
 * are kept apart, so that a flood of other places cannot crowd them out.
 *
 * @param options.limit failures in one window from which on a place has to wait until the window ends
 * @param options.placesMax places kept of each kind; the one whose window is oldest goes first
 */
export const makeFailedKeys = ({ limit, placesMax, windowMs }: {
  readonly limit: number
  readonly windowMs: number
  readonly placesMax: number
}): FailedKeys => {
  const counting = new Map<string, Failures>()
  /** Until when, by place. */
  const waiting = new Map<string, number>()
  return {
    size: () => counting.size + waiting.size,
    waitMs: (place, nowMs) => {
      const untilMs = waiting.get(place)
      if (untilMs === undefined) return 0
      if (nowMs < untilMs) return untilMs - nowMs
      waiting.delete(place)
      return 0
    },
    count: (place, nowMs) => {
      // Verifications that were under way when the limit was reached change nothing.
      if ((waiting.get(place) ?? -Infinity) > nowMs) return false
      const known = counting.get(place)
      const isOpen = known !== undefined && nowMs - known.sinceMs < windowMs
      const failures = isOpen ? known : { sinceMs: nowMs, count: 0 }
      failures.count++
      counting.delete(place)
      if (failures.count >= limit) {
        waiting.delete(place)
        waiting.set(place, failures.sinceMs + windowMs)
        bound(waiting, placesMax)
        return true
      }
      counting.set(place, failures)
      bound(counting, placesMax)
      return false
    }
  }
}
