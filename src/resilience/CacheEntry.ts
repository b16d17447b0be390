/* What a cache of reads has of one key; times are elapsed ms of the process. */
import type { Exit, Fiber } from "effect"

/** The last value of a key. In a pause it is answered without a read. */
export interface CachedValue<Value> {
  readonly exit: Exit.Success<Value>
  readonly atMs: number
  readonly freshUntilMs: number
  pausedUntilMs: number
}

/** The failure that is answered for a key without a value. */
export interface CachedFailure<E> {
  readonly exit: Exit.Exit<never, E>
  readonly untilMs: number
}

/** A read that is under way; its fiber is set in the step that begins it. */
export interface OpenRead<Value, E> {
  readonly beganMs: number
  fiber: Fiber.Fiber<Value, E> | null
}
