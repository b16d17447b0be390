/** The rule of a {@link ReadCache}: its size, and when it answers, reads, waits or fails. */
export interface CacheRule<Value, E> {
  /** Maximum number of values, or total `sizeOf`. By default, the value stored first is dropped first. */
  readonly capacity: number
  readonly sizeOf?: (value: Value) => number
  /** If true, the value that was not used for the longest time is dropped first. */
  readonly keepsUsed?: boolean
  /** Time for which a value is fresh, ms; or a function of the time that its read took, ms. */
  readonly freshMs: number | ((tookMs: number) => number)
  /** A value counts as fresh only if `holds`, if present, also returns true. */
  readonly holds?: (value: Value, nowMs: number) => boolean
  /** Maximum age of a value that may replace a late or failed read, ms. Default: any age. */
  readonly staleMs?: number
  /** Time from the start of a read, ms, after which callers get the old value (if any). Default: 100. */
  readonly waitMs?: number
  /** Time after a failed read during which the last value is answered without a read, ms. */
  readonly pauseMs: number
  /** Time for which a failure is answered for a key that has no value, ms. Default: `pauseMs`. */
  readonly failedMs?: number
  /** The failure of a read of more than two seconds. If `late` is absent, reads have no time limit. */
  readonly late?: (limitMs: number) => E
  /** True if a failed read drops the cached value and fails the caller, as when an API key is rejected. */
  readonly isFinal?: (error: E) => boolean
  /** True if a read of a key without a cached value counts as a load (`ColdLoad`). Default: true. */
  readonly isLoad?: boolean
}
