/* When requests of an open load are due, and how late each of them is answered. */
import { generator } from "../../../src/stats/Generator.ts"

/**
 * When requests are due, ms after the start, ascending: a Poisson process of `perSecond` > 0 over `seconds`,
 * as callers come who do not know of one another. The same seed gives the same times.
 */
export const arrivals = (perSecond: number, seconds: number, seed: number): ReadonlyArray<number> => {
  const uniform = generator(seed)
  const dueMs: Array<number> = []
  for (let atMs = 0;;) {
    atMs += -Math.log(1 - uniform()) * 1_000 / perSecond
    if (atMs >= seconds * 1_000) return dueMs
    dueMs.push(atMs)
  }
}

/**
 * Requests that are due one after another, whether or not anyone is free to send them. Whoever sends one
 * counts from the time at which it was due: a server that stands still is then charged for everyone who
 * would have come meanwhile (Tene, "How not to measure latency": coordinated omission).
 */
export class Schedule {
  readonly #dueMs: ReadonlyArray<number>
  #next = 0

  /** @param dueMs ascending */
  constructor(dueMs: ReadonlyArray<number>) {
    this.#dueMs = dueMs
  }

  /** Takes the request that has waited longest, and yields when it was due; null while none is due. */
  take(nowMs: number): number | null {
    const dueMs = this.#dueMs[this.#next]
    if (dueMs === undefined || dueMs > nowMs) return null
    this.#next++
    return dueMs
  }

  /** When the next arrival that is not yet taken is or was due, ms after the start; null after the last. */
  get nextMs(): number | null {
    return this.#dueMs[this.#next] ?? null
  }
}
