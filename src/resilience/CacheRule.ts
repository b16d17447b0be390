/** The rule of a {@link ReadCache}: its size, and when it answers, reads, waits or fails. */
export interface CacheRule<Value, E> {
  /** Most values, count, or the largest sum of their `sizeOf`. The oldest value is dropped first. */
  readonly capacity: number
  readonly sizeOf?: (value: Value) => number
  /** True to drop the value first that was not used for the longest time. */
  readonly keepsUsed?: boolean
  /** Time for which a value is fresh, ms, or a function of the time that reading it took, ms. */
  readonly freshMs: number | ((tookMs: number) => number)
  /** A further condition on a fresh value. Without it every fresh value is answered without a read. */
  readonly holds?: (value: Value, nowMs: number) => boolean
  /** Largest age of a value that may replace a late or failed read, ms. Default: any age. */
  readonly staleMs?: number
  /** Longest wait for a newer value if there is a last one, ms from the start of the read. Default: 100. */
  readonly waitMs?: number
  /** Time after a failed read in which the last value is answered without a read, ms. */
  readonly pauseMs: number
  /** Time for which a failure is answered for a key without a value, ms. Default: `pauseMs`. */
  readonly failedMs?: number
  /** Makes the failure of a read that takes over two seconds. Without it reads have no time limit. */
  readonly late?: (limitMs: number) => E
  /** True for a failure that the store gives as its answer. It is passed on, and the value is forgotten. */
  readonly isFinal?: (error: E) => boolean
  /** True if the first read of a key is a load of its request (`ColdLoad`). Default: true. */
  readonly isLoad?: boolean
}
