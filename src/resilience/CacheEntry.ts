/* The entries of a cache of reads. Times are elapsed ms of the process. */
import type { Exit, Fiber } from "effect"

/** The last value of a key. Until `pausedUntilMs` it is answered without a read. */
export interface CachedValue<Value> {
  readonly exit: Exit.Success<Value>
  readonly atMs: number
  readonly freshUntilMs: number
  pausedUntilMs: number
}

/** The failure of a key without a value. Until `untilMs` it is answered without a read. */
export interface CachedFailure<E> {
  readonly exit: Exit.Exit<never, E>
  readonly untilMs: number
}

/** A running read. `fiber` is null only within the step that begins the read. */
export interface OpenRead<Value, E> {
  readonly beganMs: number
  fiber: Fiber.Fiber<Value, E> | null
}
