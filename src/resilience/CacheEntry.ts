/* The entries of a cache of reads. All times are elapsed ms of the process. */
import type { Exit, Fiber } from "effect"

/** Until `pausedUntilMs`, the cache answers with this value without a read. */
export interface CachedValue<Value> {
  readonly exit: Exit.Success<Value>
  readonly atMs: number
  readonly freshUntilMs: number
  pausedUntilMs: number
}

/** Until `untilMs`, the cache answers with this failure without a read. */
export interface CachedFailure<E> {
  readonly exit: Exit.Exit<never, E>
  readonly untilMs: number
}

/** `fiber` is null only during the step that begins the read. */
export interface OpenRead<Value, E> {
  readonly beganMs: number
  fiber: Fiber.Fiber<Value, E> | null
}
