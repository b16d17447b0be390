/* What a cache of reads keeps, for how long, and what it answers meanwhile. */

/** How many values are kept, how long each is fresh, and what is answered while a newer one is read. */
export interface CacheRule<Value, E> {
  /** Values that are kept, count, or the sum of their `sizeOf`; what was stored longest ago goes first. */
  readonly capacity: number
  readonly sizeOf?: (value: Value) => number
  /** Whether what was used longest ago goes first. */
  readonly keepsUsed?: boolean
  /** For how long a value is answered without a read, ms; or that by how long reading it took, ms. */
  readonly freshMs: number | ((tookMs: number) => number)
  /** Whether a value of any age may be answered without a read. By default every one may. */
  readonly holds?: (value: Value, nowMs: number) => boolean
  /** Up to which age a value is answered when a newer one is late or cannot be read, ms. By default any. */
  readonly staleMs?: number
  /** How long readers wait for a newer value than the last one, from the beginning of its read, ms. */
  readonly waitMs?: number
  /** Pause after a read that failed, in which the last value is answered, ms. */
  readonly pauseMs: number
  /** How long the failure of a read is answered for a key without a value, ms; by default as the pause. */
  readonly failedMs?: number
  /** The failure of a read that takes over two seconds; without it, reads take as long as they take. */
  readonly late?: (limitMs: number) => E
  /** Whether a failure is the store's word on the key: it is passed on, and the last value is forgotten. */
  readonly isFinal?: (error: E) => boolean
  /** Whether the first read of a key counts as a load for its request; by default it does. */
  readonly isLoad?: boolean
}
